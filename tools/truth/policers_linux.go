package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// sweptPolicer has weir sweep a router that lets a known rate through, ten times.
func sweptPolicer(kind string, rate float64, both bool) promise {
	const loss, within, enough = .005, .01, .9
	want, ways, lasts := rate, "one way", 5*time.Second
	if both {
		want, ways = 2*rate, "both ways"
	}
	if kind == "tbf" {
		lasts = 15 * time.Second // its queue holds more than short windows fill
	}
	plan := fmt.Sprintf(`
dut: {policer: {kind: %s, rate: %g}}
traffic: {sizes: [64], bidirectional: %v}
methods: [{method: sweep, loss: %g%%, within: %v}]
waits: {residual: 20ms}
`, kind, rate, both, 100*loss, lasts)
	return promise{
		group: "policers",
		name:  fmt.Sprintf("sweep of a policer (%s, %.0f frames/s, %s)", kind, rate, ways),
		asked: fmt.Sprintf("nine times of ten within %g %%, in at most %v", 100*within, lasts),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			n, kept := s.often(10), 0
			var off []string
			var longest float64
			var failed error
			for i := range n {
				r, err := s.planned(ctx, plan)
				if ctx.Err() != nil {
					return "", false, err
				}
				if err != nil {
					s.say("%d of %d: %v", i+1, n, err)
					off, failed = append(off, "-"), err
					continue
				}
				// At the knee what is let through is all but the loss.
				wrong := r.Value*(1-loss)/want - 1
				if math.Abs(wrong) <= within && r.Seconds <= lasts.Seconds() {
					kept++
				}
				longest = max(longest, r.Seconds)
				off = append(off, fmt.Sprintf("%+.2f", 100*wrong))
				s.say("%d of %d: %s, off by %+.2f %%, windows of %.1f s, %.0f %% left out", i+1, n, r.kpps(), 100*wrong, r.Seconds, 100*r.LeftOut)
			}
			if longest == 0 {
				return "", false, failed
			}
			return fmt.Sprintf("%d of %d, off by %s %%, in at most %.1f s", kept, n, strings.Join(off, " "), longest), float64(kept) >= enough*float64(n), nil
		},
	}
}
