package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weir/internal/claim"
)

// ordered are the promises about the order of what examples vary.
func ordered() []promise {
	overload := &example{file: "examples/overload.yaml", method: "overload", factor: "napi"}
	fib := &example{file: "examples/fib.yaml", method: "sweep", factor: "routes"}
	return []promise{
		overload.of("order of modes in examples/overload.yaml, disturbed", "no run contradicts another beyond their intervals", agreed),
		overload.of("MLFRR in examples/overload.yaml, disturbed", "not below half of the knee at 0.5 %, or it says who stood still", defended),
		overload.of("time of a mode in examples/overload.yaml, disturbed", "less than 8 s", func(e *example) (string, bool) { return soon(e, 8*time.Second) }),
		fib.of("order of table sizes in examples/fib.yaml, disturbed", "more routes are never faster beyond the intervals", falling),
	}
}

// example is a plan that is run some times beside what disturbs, and what its
// runs found of the levels of a factor, in their order.
type example struct {
	file, method, factor string
	runs                 [][]result
	failed               []string // runs that did not end with 0, and why
}

func (e *example) of(name, asked string, judge func(e *example) (string, bool)) promise {
	return promise{group: "order", name: name, asked: asked, measure: func(ctx context.Context, s setup) (string, bool, error) {
		for n := s.often(3); len(e.runs) < n; {
			if err := e.run(ctx, s, len(e.runs)+1, n); err != nil {
				return "", false, err
			}
		}
		found, kept := judge(e)
		return judged(found, e.failed), kept && len(e.failed) == 0, nil
	}}
}

// run is one of n.
func (e *example) run(ctx context.Context, s setup, i, n int) error {
	stop, err := s.beside()
	if err != nil {
		return err
	}
	defer stop()
	t := s.call(ctx, planLimit, "run", "--trials", e.file)
	if ctx.Err() != nil || len(t.Results) == 0 {
		return t.err
	}
	var found []result
	var text strings.Builder
	for _, r := range t.Results {
		if r.Method == e.method {
			r.took = t.campaign.took(r)
			found = append(found, r)
			fmt.Fprintf(&text, "; %s %s in %.1f s: %s", e.factor, r.level(e.factor), r.took.Seconds(), r.kpps())
			if knee, _ := r.figure(claim.OverloadKnee); knee > 0 {
				fmt.Fprintf(&text, ", knee at 0.5 %% %.1f", knee/1e3)
			}
		}
	}
	if t.err != nil {
		fmt.Fprintf(&text, "; %v", t.err)
		e.failed = append(e.failed, fmt.Sprintf("run %d: %s", i, firstPart(t.err)))
	}
	e.runs = append(e.runs, found)
	s.say("%s %d of %d: %.1f s%s", e.file, i, n, t.took.Seconds(), text.String())
	return nil
}

// firstPart is what an error says first; the whole of it is in the progress.
func firstPart(err error) string {
	first, _, _ := strings.Cut(err.Error(), ";")
	return first
}
