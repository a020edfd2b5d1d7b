package search

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	truth := 12_345.
	o, err := Run(t.Context(), goal(), func(_ context.Context, load float64) (Observation, error) {
		return Observation{Loss: max(0, 1-truth/load), Forwarded: min(load, truth)}, nil
	})
	if err != nil || !o.Done || o.Lower > truth || o.Upper < truth {
		t.Errorf("Run = %+v, %v", o, err)
	}
}

func TestRunStops(t *testing.T) {
	broken := errors.New("link down")
	ctx, cancel := context.WithCancel(t.Context())
	fail := func(cause func() error) func(context.Context, float64) (Observation, error) {
		n := 0
		return func(_ context.Context, load float64) (Observation, error) {
			if n++; n == 2 {
				return Observation{}, cause()
			}
			return seen(load, bad), nil
		}
	}
	o, err := Run(ctx, goal(), fail(func() error { return broken }))
	if !errors.Is(err, broken) || o.Trials != 1 || o.Done {
		t.Errorf("with a failing measurement: %+v, %v", o, err)
	}
	o, err = Run(ctx, goal(), fail(func() error { cancel(); return ctx.Err() }))
	if !errors.Is(err, context.Canceled) || o.Trials != 1 {
		t.Errorf("with a context that ends: %+v, %v", o, err)
	}
	if _, err = Run(ctx, goal(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestGoalValidate(t *testing.T) {
	for want, change := range map[string]func(*Goal){
		"loss ratio 1 ":     func(g *Goal) { g.LossRatio = 1 },
		"exceed ratio -0.1": func(g *Goal) { g.Exceed = -.1 },
		"width 2":           func(g *Goal) { g.Width = 2 },
		"trial duration 0s": func(g *Goal) { g.Trial = 0 },
		"-1 trials":         func(g *Goal) { g.Trials = -1 },
		"below the minimum": func(g *Goal) { g.Maximum = 0 },
		"minimum 0.001":     func(g *Goal) { g.Minimum, g.Maximum, g.Trial = 0, .0001, 1000*time.Second },
		"maximum load 8398203.99 frames/s is below the minimum 20000000": func(g *Goal) { g.Minimum, g.Maximum = 2e7, 8.39820399344297e+06 },
		"finite and not negat": func(g *Goal) { g.Start = -1 },
	} {
		_, err := Run(t.Context(), goal(change), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if err := goal().Validate(); err != nil {
		t.Error(err)
	}
}
