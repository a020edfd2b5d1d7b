package sweep

import (
	"testing"
	"time"

	"weir"
)

// Where others have the machine throughout a coarse pass, there is another one while
// there is time, and the sweep goes on as soon as windows count.
func TestDisturbedCoarsePasses(t *testing.T) {
	g := Goal{Maximum: 1e6, Within: 20 * time.Second, Rounds: 3, Ports: 1, Buffer: 256}
	results := func(p Pass, stalled bool) Pass {
		for _, w := range p.Windows {
			sent := uint64(w.Intended * w.Duration.Seconds())
			r := weir.WindowResult{Sent: sent, Received: min(sent, uint64(4e5*w.Duration.Seconds()))}
			if stalled {
				r.GeneratorGap = time.Hour
			}
			p.Results = append(p.Results, r)
		}
		return p
	}
	var past []Pass
	for range 5 {
		p, ok := g.Next(past)
		if !ok || p.Kind != Coarse {
			t.Fatalf("pass %d: %v %v", len(past), p.Kind, ok)
		}
		past = append(past, results(p, true))
	}
	if e := g.Estimate(past); e.Limited != ByOutside {
		t.Errorf("all windows were left out, and the limit is %q", e.Limited)
	}
	p, _ := g.Next(past)
	past = append(past, results(p, false))
	if p, ok := g.Next(past); !ok || p.Kind != Fine {
		t.Errorf("after a pass that counts: %v %v", p.Kind, ok)
	}

	past = nil
	for p, ok := g.Next(past); ok; p, ok = g.Next(past) {
		past = append(past, results(p, true))
	}
	spent := time.Duration(0)
	for _, p := range past {
		spent += p.Length()
	}
	if len(past) != disturbed || spent > g.Within {
		t.Errorf("%d passes of which no window counts, in %v of %v", len(past), spent, g.Within)
	}
}
