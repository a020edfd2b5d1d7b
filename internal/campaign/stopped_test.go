package campaign

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// broken is a lab of which the DUT forwards nothing after a number of trials, and
// again after some more.
func broken(t *testing.T, after, until int) Lab {
	lab := simulated(t)
	sound := lab.Measure
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := sound(ctx, trial)
		if !trial.Bypass && trial.Number > after && (until == 0 || trial.Number <= until) {
			r.Received, r.Latency = 0, weir.Histogram{}
			r.Ledger = weir.Balance(r.Offered, 0, []weir.Drop{{Place: "dut forwarding is off", Count: r.Offered}})
		}
		return r, err
	}
	lab.Diagnose = func(context.Context, weir.Traffic) []string { return []string{"port 0 is up", "there is no route"} }
	return lab
}

const oneSize = "testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [frmol, throughput, latency]\n"

// A DUT that stops forwarding in the middle is an error with a diagnosis, which
// is said once, and names what is not measured.
func TestDUTStopsInTheMiddle(t *testing.T) {
	m := &mortal{lives: -1}
	var told []string
	p := parsed(t, oneSize)
	c, err := Run(t.Context(), p, broken(t, 5, 0), m, func(e Event) {
		if e.Kind == MethodFailed {
			told = append(told, e.Err.Error())
		}
		if e.Spent > e.Budget {
			t.Errorf("%v of %v are spent", e.Spent, e.Budget)
		}
	})
	const want = "throughput with frames of 64: the DUT forwards nothing: no frame came back at "
	if err == nil || !strings.HasPrefix(err.Error(), want) || len(c.Results) != 1 {
		t.Fatalf("%d results, error %v", len(c.Results), err)
	}
	for _, part := range []string{", nor at 1000 frames/s (of ", "; not measured after that: latency; what is known:\n  - its counters: dut forwarding is off 100\n  - port 0 is up\n  - there is no route"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	if diff := cmp.Diff([]string{err.Error()}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(c.Ended, "failed: "+want) || strings.Contains(c.Ended, "\n") || !strings.HasSuffix(c.Ended, "what is known: its counters: dut forwarding is off 100; port 0 is up; there is no route") {
		t.Errorf("ended %q", c.Ended)
	}
	// Whoever goes on has mended it.
	again, err := Resume(t.Context(), stored(t, m.disk), p, simulated(t), m, nil)
	if err != nil || again.Ended != "complete" || len(again.Results) != 3 || len(m.twice) > 0 {
		t.Errorf("ended %q with %d results, recorded twice %v: %v", again.Ended, len(again.Results), m.twice, err)
	}
}

// One that forwards again at the probe is measured on.
func TestDUTStopsForAWhile(t *testing.T) {
	// Trials: self-test, probe, frmol, throughput; then one dead and its trickle.
	c, err := Run(t.Context(), parsed(t, oneSize), broken(t, 4, 6), &memory{}, nil)
	if err == nil || strings.Contains(err.Error(), "not measured") || !strings.Contains(err.Error(), "latency is measured at a share of the throughput, which is not known") {
		t.Errorf("error %v", err)
	}
	if last := c.Trials[len(c.Trials)-1]; len(c.Trials) != 7 || last.Trial.Purpose != "probe" || last.Received == 0 {
		t.Errorf("%d trials, the last one %+v", len(c.Trials), last.Trial)
	}
}

// A DUT that forwarded nothing when the campaign was begun is probed anew.
func TestResumeAfterNothingForwarded(t *testing.T) {
	m := &mortal{lives: -1}
	p := parsed(t, oneSize)
	c, err := Run(t.Context(), p, broken(t, 1, 0), m, nil)
	if err == nil || len(c.Trials) != 2 {
		t.Fatalf("%d trials, error %v", len(c.Trials), err)
	}
	again, err := Resume(t.Context(), stored(t, m.disk), p, simulated(t), m, nil)
	if err != nil || len(again.Results) != 3 {
		t.Errorf("ended %q with %d results: %v", again.Ended, len(again.Results), err)
	}
}

// What a campaign that ends early leaves out is named.
func TestLevelsThatAreLeft(t *testing.T) {
	var now weir.Condition
	var log []string
	lab := conditions(&now, &log)
	lab.Apply = func(context.Context, ...weir.Condition) (func(context.Context) error, error) {
		now.Put(weir.Filters(25))
		return func(context.Context) error { return errors.New("it is stuck") }, nil
	}
	c, err := Run(t.Context(), parsed(t, fourLevels), lab, &memory{}, nil)
	const want = "undo the condition \"25 filters\": it is stuck\nnot measured after that: the level routes 1000, the level napi threaded"
	if err == nil || err.Error() != want || c.Ended != "failed: "+strings.ReplaceAll(want, "\n", "; ") {
		t.Errorf("ended %q with %v", c.Ended, err)
	}
}

// A condition that ends while it is measured ends its level, once, and no other.
func TestConditionThatEnds(t *testing.T) {
	var now weir.Condition
	var log []string
	lab := conditions(&now, &log)
	sound, trials := lab.Measure, 0
	var gone error
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Condition.Filters() > 0 && !trial.Bypass {
			if trials++; trials == 2 {
				gone = errors.New("the daemon has ended")
			}
			if gone != nil {
				return weir.TrialResult{}, gone
			}
		}
		return sound(ctx, trial)
	}
	lab.Holds = func() error { return gone }
	failed := 0
	c, err := Run(t.Context(), parsed(t, strings.Replace(fourLevels, ", {routes: 1000}", "", 1)), lab, &memory{}, func(e Event) {
		if e.Kind == MethodFailed {
			failed++
		}
	})
	const want = `filters 25: frmol with frames of 64: trial 1: the condition "25 filters" has ended, and nothing more is measured under it: the daemon has ended`
	if err == nil || err.Error() != want || failed != 1 || trials != 2 || len(c.Results) != 4 {
		t.Errorf("%d failures, %d trials, %d results: %v", failed, trials, len(c.Results), err)
	}
	if diff := cmp.Diff([]string{"25 filters", "undone", "NAPI threaded", "undone"}, log); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

// A campaign that fails on a busy machine says so, once.
func TestBusyCampaign(t *testing.T) {
	of := func(n int, codes ...weir.WarningCode) (out []weir.TrialResult) {
		for range n {
			var r weir.TrialResult
			for _, c := range codes {
				r.Warnings = append(r.Warnings, weir.Warning{Code: c})
			}
			out = append(out, r)
		}
		return out
	}
	for name, c := range map[string]struct {
		trials []weir.TrialResult
		want   string
	}{
		"none":               {nil, ""},
		"quiet":              {of(9), ""},
		"a few":              {append(of(8), of(2, weir.BusyMachine)...), ""},
		"many":               {append(of(5), append(of(2, weir.BusyMachine, weir.StealTime), of(1, weir.GeneratorStalled)...)...), "in 3 of 8 trials"},
		"beyond the tester":  {of(5, weir.GeneratorStalled, weir.TesterLimited), ""},
		"busy at its limits": {of(5, weir.GeneratorStalled, weir.TesterLimited, weir.StealTime), "in 5 of 5 trials"},
	} {
		got := busy(c.trials)
		if (got != nil) != (c.want != "") || got != nil && got.Error() != "the machine was busy "+c.want+": stop other work and run again" {
			t.Errorf("%s: %v", name, got)
		}
	}
	lab := simulated(t)
	lab.Observe = func(context.Context) (func(time.Duration) (Observation, error), error) {
		return func(time.Duration) (Observation, error) {
			return Observation{Host: weir.HostLoad{Other: time.Second, Over: time.Second}}, nil
		}, nil
	}
	p := parsed(t, oneSize)
	if c, err := Run(t.Context(), p, lab, &memory{}, nil); err != nil || c.Ended != "complete" {
		t.Errorf("busy, and complete: ended %q, %v", c.Ended, err)
	}
	sound := lab.Measure
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Purpose == "latency" {
			return weir.TrialResult{}, errors.New("no such queue")
		}
		return sound(ctx, trial)
	}
	c, err := Run(t.Context(), p, lab, &memory{}, nil)
	if err == nil || strings.Count(err.Error(), "the machine was busy in ") != 1 || !strings.Contains(c.Ended, "; the machine was busy in ") {
		t.Errorf("ended %q with %v", c.Ended, err)
	}
}
