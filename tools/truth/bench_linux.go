package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"weir/internal/testenv/wires"
)

// What weir bench measures, and the quick one.
var (
	benchSizes = []string{"64", "512", "1518", "imix"}
	quickSizes = []string{"64", "imix"}
)

// a bench is one run of weir bench.
type bench struct {
	took  time.Duration
	err   error
	sizes map[string]result // sweeps
	leaks []string          // frames of weir's on the machine's own interfaces
}

func benchOf(t told) bench {
	b := bench{took: t.took, err: t.err, sizes: map[string]result{}}
	for _, r := range t.Results {
		if r.Method == "sweep" {
			b.sizes[r.level("frame_size")] = r
		}
	}
	return b
}

// missing are the sizes without a number that has an interval.
func (b bench) missing(sizes []string) (out []string) {
	for _, size := range sizes {
		if r := b.sizes[size]; r.Value <= 0 || !(r.Lower > 0 && r.Lower <= r.Value && r.Value <= r.Upper) {
			out = append(out, size)
		}
	}
	return out
}

// String is a bench in a line.
func (b bench) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%.1f s", b.took.Seconds())
	for _, size := range benchSizes {
		if r, there := b.sizes[size]; there {
			fmt.Fprintf(&text, "; %s: %s, saturated %.1f, %.0f %% left out", size, r.kpps(), r.Saturated.Value/1e3, 100*r.LeftOut)
		}
	}
	if b.err != nil {
		fmt.Fprintf(&text, "; %v", b.err)
	}
	return text.String()
}

// benches are those in a row, which several promises are about: they are run
// once.
type benches struct{ made []bench }

func (b *benches) all(ctx context.Context, s setup) ([]bench, error) {
	for i := len(b.made); i < s.benches; i++ {
		watch, err := wires.Begin()
		if err != nil {
			return nil, err
		}
		one, err := s.bench(ctx, i%2 == 1 && !s.alone)
		leaks, unseen := watch.End()
		if err := errors.Join(err, unseen); err != nil {
			return nil, err
		}
		one.leaks = leaks
		b.made = append(b.made, one)
		where := "alone"
		if i%2 == 1 && !s.alone {
			where = "disturbed"
		}
		s.say("bench %d of %d, %s: %v", i+1, s.benches, where, one)
	}
	return b.made, nil
}

// bench runs one. That it fails is what it found.
func (s setup) bench(ctx context.Context, disturbed bool, args ...string) (bench, error) {
	if disturbed {
		stop, err := s.beside()
		if err != nil {
			return bench{}, err
		}
		defer stop()
	}
	b := benchOf(s.call(ctx, benchLimit, append([]string{"bench"}, args...)...))
	return b, ctx.Err()
}

// of is a promise about the benches in a row.
func (b *benches) of(name, asked string, judge func([]bench) (string, bool)) promise {
	return promise{group: "bench", name: name, asked: asked, measure: func(ctx context.Context, s setup) (string, bool, error) {
		all, err := b.all(ctx, s)
		if err != nil {
			return "", false, err
		}
		found, kept := judge(all)
		return found, kept, nil
	}}
}

// benched are the promises about weir bench.
func benched() []promise {
	b := &benches{}
	return []promise{
		b.of("weir bench, again and again, half of them disturbed", "each ends with 0 and has a number for every size",
			func(all []bench) (string, bool) { return answered(all, benchSizes) }),
		b.of("interval of a bench and the next one's knee, of four sizes", "in 31 of 36 pairs it is in it; +-8 % at most in the median; 9 of 40 lower bounds at most", foretold),
		b.of("knee over saturated rate of benches", "within 10 % of its median", steady),
		b.of("frames of weir bench on the interfaces of this machine", "none", sealed),
		b.of("time of weir bench", "60 s at most", func(all []bench) (string, bool) { return longest(all, 60*time.Second) }),
		quick(),
	}
}

// quick is the promise about the short one.
func quick() promise {
	return promise{group: "bench", name: "time of weir bench --quick", asked: "15 s at most, and it ends with 0 and has a number for every size", measure: func(ctx context.Context, s setup) (string, bool, error) {
		n := s.often(3)
		var all []bench
		for i := range n {
			one, err := s.bench(ctx, false, "--quick")
			if err != nil {
				return "", false, err
			}
			s.say("quick bench %d of %d: %v", i+1, n, one)
			all = append(all, one)
		}
		found, kept := prompt(all)
		return found, kept, nil
	}}
}
