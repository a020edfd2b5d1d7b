package search

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// unsent is a trial of which only a part was sent, and all of that came back.
func unsent(load, sent float64) Observation {
	missing := 1 - sent/load
	return Observation{Load: load, Loss: missing, Unsent: missing, Forwarded: sent}
}

func TestSilentTrials(t *testing.T) {
	for _, tt := range []struct {
		name  string
		o     Observation
		ratio float64
		want  bool
	}{
		{"all was sent", Observation{Loss: .1}, 0, false},
		{"less was sent, and all of it came back", Observation{Loss: .1, Unsent: .1}, 0, true},
		{"nothing was sent", Observation{Loss: 1, Unsent: 1}, 0, true},
		{"less was sent, and some of it was lost", Observation{Loss: .2, Unsent: .1}, 0, false},
		{"no more than the goal allows", Observation{Loss: .103, Unsent: .1}, .005, true},
		{"more than that", Observation{Loss: .11, Unsent: .1}, .005, false},
		{"so little was not sent that the goal is met", Observation{Loss: .004, Unsent: .004}, .005, false},
	} {
		if got := tt.o.inconclusive(tt.ratio); got != tt.want {
			t.Errorf("%s: inconclusive %v", tt.name, got)
		}
	}
}

func TestBinaryBeyondTheTester(t *testing.T) {
	short := unsent(100_000, 90_000)
	often := short
	often.Attempts = patience
	for _, tt := range []struct {
		name string
		goal Goal
		past []Observation
		want float64 // the next load; 0: done
	}{
		{"once says nothing", goal(), []Observation{short}, 100_000},
		{"nor does twice", goal(), []Observation{short, short}, 100_000},
		{"thrice is beyond the tester: go a little below where it was", goal(), []Observation{short, short, short}, 90_000 * (1 - goal().Width)},
		{"all attempts count", goal(), []Observation{often}, 90_000 * (1 - goal().Width)},
		{"and those of several trials together", goal(func(g *Goal) { g.Trials, g.Exceed = 5, .5 }), []Observation{seen(100_000, good), often}, 90_000 * (1 - goal().Width)},
		{"a good trial settles it", goal(), []Observation{short, short, seen(100_000, good)}, 0},
		{"so does a bad one", goal(), []Observation{short, short, forwarded(100_000, 30_000)}, 30_000},
		{"a higher load that was good shows a disturbance", goal(),
			[]Observation{unsent(50_000, 9), unsent(50_000, 9), unsent(50_000, 9), seen(80_000, good), seen(80_500, bad)}, 0},
		{"of more trials more are needed", goal(func(g *Goal) { g.Trials = 9 }),
			[]Observation{seen(100_000, good), seen(100_000, good), seen(100_000, good), short, short, short}, 100_000},
	} {
		got, ok := Binary{tt.goal}.Next(tt.past)
		if ok != (tt.want != 0) || math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: Next = %v, %v; want %v", tt.name, got, ok, tt.want)
		}
	}
	past := []Observation{short, short, short, seen(99_500, good)}
	want := Outcome{Lower: 99_500, Upper: 100_000, Trials: 4, Limited: ByTester, Done: true}
	if d := cmp.Diff(want, Binary{goal()}.Outcome(past)); d != "" {
		t.Errorf("Outcome (-want +got):\n%s", d)
	}
}

// A tester that cannot send more than it can ends either search there, whatever
// it is asked for, and what it does once does not.
func TestSearchesEndWhereTheTesterDoes(t *testing.T) {
	const reach = 43_210.
	stalls := 0
	testers := map[string]struct {
		send  func(load float64) float64
		truth float64
	}{
		"too slow": {func(load float64) float64 { return min(load, reach) }, reach},
		"stalled now and then": {func(load float64) float64 {
			if stalls++; stalls%3 == 1 {
				return load / 1000
			}
			return load
		}, 100_000},
	}
	for name, tt := range testers {
		measure := func(_ context.Context, load float64) (Observation, error) { return unsent(load, tt.send(load)), nil }
		limit := ByMaximum
		if tt.truth == reach {
			limit = ByTester
		}
		check := func(kind string, o Outcome) {
			if !o.Done || o.Limited != limit || o.Lower > tt.truth || o.Lower < .99*tt.truth {
				t.Errorf("%s, %s: %+v", name, kind, o)
			}
		}
		o, err := Run(t.Context(), goal(), measure)
		if err != nil {
			t.Fatal(err)
		}
		check("binary", o)
		m := fast(0, .005)
		m.Goals[1].Sum, m.Goals[1].Exceed = 5*time.Second, .5
		out, err := m.Run(t.Context(), func(ctx context.Context, load float64, _ time.Duration) (Observation, error) {
			return measure(ctx, load)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range out {
			o.Lower *= 1 - .005 // a goal that allows a loss is met by what was not sent, too
			check("MLRsearch", o)
		}
	}
}

// An MLRsearch leaves a load as soon as its attempts are used up, too.
func TestMLRBeyondTheTester(t *testing.T) {
	m := fast(0)
	for attempts, want := range map[int]bool{0: true, 1: true, patience - 1: true, patience: false} {
		o := unsent(100_000, 90_000)
		o.Duration, o.Attempts = time.Second, attempts
		load, _, ok := m.Next([]Observation{o})
		if !ok || (load == 100_000) != want {
			t.Errorf("after %d attempts: Next = %v, %v; the same load again: want %v", attempts, load, ok, want)
		}
	}
}

// What says nothing is no part of a conditional throughput.
func TestSilentTrialsAndTheConditionalThroughput(t *testing.T) {
	m := fast(0)
	past := []Observation{unsent(100_000, 1), seen(100_000, good)}
	for i := range past {
		past[i].Duration = time.Second
	}
	want := []Outcome{{Lower: 100_000, Upper: 100_000, Conditional: 100_000, Trials: 2, Limited: ByMaximum, Done: true}}
	if d := cmp.Diff(want, m.Outcomes(past)); d != "" {
		t.Errorf("Outcomes (-want +got):\n%s", d)
	}
}
