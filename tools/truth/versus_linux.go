package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// comparison is a difference as weir tells it to programs.
type comparison struct {
	Metric, Arm          string
	Again                bool
	Effect, Lower, Upper *float64
	Verdict, Veto        string
}

// known reports whether it has an interval.
func (c comparison) known() bool { return c.Effect != nil && c.Lower != nil && c.Upper != nil }

// differs reports whether the interval leaves 0 out.
func (c comparison) differs() bool { return c.known() && (*c.Lower > 0 || *c.Upper < 0) }

// half is half the width of the interval.
func (c comparison) half() float64 {
	if !c.known() {
		return math.Inf(1)
	}
	return (*c.Upper - *c.Lower) / 2
}

// String is a difference in per cent.
func (c comparison) String() string {
	if !c.known() {
		return "not known: " + c.Veto
	}
	return fmt.Sprintf("%+.2f %% (%+.2f to %+.2f)", 100**c.Effect, 100**c.Lower, 100**c.Upper)
}

// against is a run of weir versus.
type against struct {
	took       time.Duration
	disturbed  bool
	code       int // exit code; -1: it could not run
	err        error
	again, arm comparison // of what is forwarded: A beside itself, and B beside A
}

// versus are runs of weir versus with the same pair.
type versus struct {
	name, a, b string
	disturbed  bool // every second one
	runs       []against
}

func (v *versus) all(ctx context.Context, s setup, usual int) ([]against, error) {
	for n := s.often(usual); len(v.runs) < n; {
		i := len(v.runs) + 1
		one, err := v.run(ctx, s, v.disturbed && i%2 == 0)
		if err != nil {
			return nil, err
		}
		v.runs = append(v.runs, one)
		s.say("%s, %d of %d: %.1f s, exit code %d, B %v, A/A %v", v.name, i, n, one.took.Seconds(), one.code, one.arm, one.again)
	}
	return v.runs, nil
}

func (v *versus) run(ctx context.Context, s setup, disturbed bool) (against, error) {
	if disturbed {
		stop, err := s.beside()
		if err != nil {
			return against{}, err
		}
		defer stop()
	}
	t := s.call(ctx, benchLimit, "versus", "--fail-above", "2%", v.a, v.b)
	out := against{took: t.took, disturbed: disturbed, err: t.err}
	var exit *exec.ExitError
	if errors.As(t.err, &exit) {
		out.code = exit.ExitCode()
	} else if t.err != nil {
		out.code = -1
	}
	for _, c := range t.Comparisons {
		switch {
		case c.Metric == "saturated" && c.Again:
			out.again = c
		case c.Metric == "saturated":
			out.arm = c
		}
	}
	return out, ctx.Err()
}

// of is a promise about runs of a pair.
func (v *versus) of(name, asked string, usual int, judge func([]against) (string, bool)) promise {
	return promise{group: "versus", name: name, asked: asked, measure: func(ctx context.Context, s setup) (string, bool, error) {
		all, err := v.all(ctx, s, usual)
		if err != nil {
			return "", false, err
		}
		found, kept := judge(all)
		return found, kept, nil
	}}
}

// compared are the promises about weir versus.
func compared() []promise {
	const often, seldom = 20, 5
	equal := &versus{name: "equal arms", disturbed: true}
	rule := &versus{name: "one rule", b: "examples/versus/rule.nft", disturbed: true}
	stateful := &versus{name: "stateful", b: "examples/versus/stateful.nft"}
	return []promise{
		equal.of("weir versus of equal arms, half of them disturbed: exit code 3", "at most 1 of 20", often, func(all []against) (string, bool) { return codes(all, 3, 0, len(all)/20) }),
		equal.of("A/A of the same", "1 in 10 differs at most", often, falselyDifferent),
		equal.of("half width of the A/A of those that nothing disturbed", "at most 1 % in all", often, func(all []against) (string, bool) {
			return halves(all, .01, func(a against) comparison { return a.again })
		}),
		equal.of("time of weir versus", "40 s at most", often, func(all []against) (string, bool) {
			most := slices.MaxFunc(all, func(a, b against) int { return int(a.took - b.took) })
			return fmt.Sprintf("%.1f s at most of %d", most.took.Seconds(), len(all)), most.took <= 40*time.Second
		}),
		rule.of("weir versus with one rule more, --fail-above 2%, half of them disturbed: exit code 3", "20 of 20", often, func(all []against) (string, bool) { return codes(all, 3, len(all), len(all)) }),
		stateful.of("half width of what a stateful firewall costs", "at most 2.5 % in all", seldom, func(all []against) (string, bool) {
			return halves(all, .025, func(a against) comparison { return a.arm })
		}),
	}
}

// codes says how many runs ended with an exit code, of which there are to be so many
// at least and at most, and with which others.
func codes(all []against, code, least, most int) (string, bool) {
	n := 0
	var others []string
	for i, a := range all {
		switch {
		case a.code == code:
			n++
		case a.code < 0 || a.code == 1 || a.code == 2:
			others = append(others, fmt.Sprintf("%d: %s", i+1, firstPart(a.err)))
		default:
			others = append(others, fmt.Sprintf("%d: %d", i+1, a.code))
		}
	}
	text := fmt.Sprintf("%d of %d", n, len(all))
	broke := slices.ContainsFunc(all, func(a against) bool { return a.code < 0 || a.code == 1 || a.code == 2 })
	if broke || least > 0 && len(others) > 0 {
		text += "; " + strings.Join(others, ", ")
	}
	return text, n >= least && n <= most && !broke
}

// falselyDifferent says how many of the equal arms differ.
func falselyDifferent(all []against) (string, bool) {
	n, of := 0, 0
	for _, a := range all {
		for _, c := range []comparison{a.again, a.arm} {
			if of++; c.differs() {
				n++
			}
		}
	}
	return fmt.Sprintf("%d of %d comparisons of equal arms", n, of), 10*n <= of
}

// halves says how wide intervals are, of runs that nothing disturbed: every second one
// of a pair that is disturbed.
func halves(all []against, most float64, which func(against) comparison) (string, bool) {
	widest, wide, n := 0., 0, 0
	for _, a := range all {
		if a.disturbed {
			continue
		}
		h := which(a).half()
		widest = max(widest, h)
		if n++; h > most {
			wide++
		}
	}
	return fmt.Sprintf("%.2f %% at most, %d of %d beyond", 100*widest, wide, n), wide == 0 && n > 0
}
