package campaign

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/plan"
)

// perTrial are repetitions of a step whose trials all take a second.
func perTrial() *repetitions {
	return &repetitions{cost: func(weir.Trial) time.Duration { return time.Second }}
}

func TestRepeated(t *testing.T) {
	lossy := func(codes ...weir.WarningCode) weir.TrialResult {
		r := weir.TrialResult{Offered: 100, Received: 90}
		for _, c := range codes {
			r.Warnings = append(r.Warnings, weir.Warning{Code: c})
		}
		return r
	}
	clean := weir.TrialResult{Offered: 100, Received: 100, Warnings: []weir.Warning{{Code: weir.StealTime}}}
	for _, c := range []struct {
		name     string
		trial    weir.Trial
		results  []weir.TrialResult
		attempts int
		said     bool
	}{
		{"undisturbed loss is the DUT's", weir.Trial{}, []weir.TrialResult{lossy()}, 1, false},
		{"other doubts do not matter", weir.Trial{}, []weir.TrialResult{lossy(weir.BusyMachine)}, 1, false},
		{"disturbed without loss", weir.Trial{}, []weir.TrialResult{clean}, 1, false},
		{"disturbed once", weir.Trial{}, []weir.TrialResult{lossy(weir.OfferedShort), clean}, 2, true},
		{"steal", weir.Trial{}, []weir.TrialResult{lossy(weir.StealTime), lossy()}, 2, true},
		{"disturbed for good", weir.Trial{}, []weir.TrialResult{lossy(weir.StealTime), lossy(weir.ReceiverSaturated)}, 2, true},
		{"at the tester's ceiling", weir.Trial{}, []weir.TrialResult{lossy(weir.OfferedShort, weir.TesterLimited)}, 1, false},
		{"maximum load", weir.Trial{Maximum: true}, []weir.TrialResult{lossy(weir.StealTime)}, 1, false},
		{"paused at maximum load", weir.Trial{Maximum: true}, []weir.TrialResult{lossy(weir.GeneratorPaused), lossy()}, 2, true},
		{"paused without loss", weir.Trial{}, []weir.TrialResult{{Offered: 100, Received: 100, Warnings: []weir.Warning{{Code: weir.GeneratorPaused}}}, clean}, 2, true},
		{"signs of life", weir.Trial{Probe: true}, []weir.TrialResult{lossy(weir.OfferedShort)}, 1, false},
		{"without the DUT", weir.Trial{Bypass: true}, []weir.TrialResult{lossy(weir.ReceiverSaturated)}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			attempts := 0
			r, err := link(perTrial().repeated).around(func(context.Context, weir.Trial) (weir.TrialResult, error) {
				attempts++
				return c.results[attempts-1], nil
			})(context.Background(), c.trial)
			if err != nil || attempts != c.attempts || r.Attempts != attempts || has(r, weir.TrialRepeated) != c.said {
				t.Errorf("%d attempts, warnings %v, %v; want %d, said %v", attempts, r.Warnings, err, c.attempts, c.said)
			}
		})
	}
}

// What was said of an attempt that was itself measured again, as its link had gone, stays.
func TestRepeatedTwice(t *testing.T) {
	attempts := 0
	r, err := link(perTrial().repeated).around(func(context.Context, weir.Trial) (weir.TrialResult, error) {
		attempts++
		r := weir.TrialResult{Offered: 100, Received: 90}
		if attempts == 1 {
			r.Warnings = []weir.Warning{weir.Warn(weir.TrialRepeated, "its link was gone"), {Code: weir.StealTime}}
		}
		return r, nil
	})(t.Context(), weir.Trial{})
	if err != nil || attempts != 2 || len(r.Warnings) != 2 || r.Warnings[1].Text != "its link was gone" {
		t.Errorf("%d attempts, %v, %v", attempts, r.Warnings, err)
	}
}

// Where all trials are disturbed, a quarter of the time goes into second attempts,
// and the first trial has one in any case.
func TestRepeatedForAQuarterOfTheTime(t *testing.T) {
	for name, tt := range map[string]struct {
		disturbed func(trial int) bool
		most      float64 // of the attempts
	}{
		"always":     {func(int) bool { return true }, .25},
		"one of ten": {func(trial int) bool { return trial%10 == 0 }, .1},
	} {
		spent, again, first := perTrial(), 0, 0
		attempts, trial := 0, 0
		measure := link(spent.repeated).around(func(context.Context, weir.Trial) (weir.TrialResult, error) {
			attempts++
			r := weir.TrialResult{Offered: 100, Received: 90}
			if tt.disturbed(trial) {
				r.Warnings = []weir.Warning{{Code: weir.StealTime}}
			}
			return r, nil
		})
		for trial = range 200 {
			r, err := measure(t.Context(), weir.Trial{Intended: 1})
			if err != nil {
				t.Fatal(err)
			}
			again += r.Attempts - 1
			if trial == 0 {
				first = r.Attempts
			}
			if float64(again) > max(1, tt.most*float64(attempts)+1) {
				t.Fatalf("%s: %d of %d attempts were second ones", name, again, attempts)
			}
		}
		if first != 2 || float64(again) < .9*tt.most*float64(attempts) {
			t.Errorf("%s: the first trial has %d attempts, and %d of %d were second ones", name, first, again, attempts)
		}
	}
}

// Where there is no time for another attempt, the first one counts.
func TestRepeatedOutOfTime(t *testing.T) {
	attempts := 0
	r, err := link(perTrial().repeated).around(func(context.Context, weir.Trial) (weir.TrialResult, error) {
		if attempts++; attempts > 1 {
			return weir.TrialResult{}, plan.ErrOutOfTime
		}
		return weir.TrialResult{Offered: 100, Received: 90, Warnings: []weir.Warning{{Code: weir.StealTime}}}, nil
	})(context.Background(), weir.Trial{})
	if err != nil || r.Received != 90 || r.Attempts != 1 || has(r, weir.TrialRepeated) {
		t.Errorf("%+v, %v", r, err)
	}
}

// The store has every attempt with its number, and the claim of what it holds
// is that of what the method has seen.
func TestRepeatedAttemptsAreRecorded(t *testing.T) {
	p, err := plan.Parse("plan.yaml", []byte("testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [{method: throughput, trial: 60s}]\nwaits: {learning: 2s, residual: 2s, settle: 5s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	disturbed := make(map[float64]bool)
	lab := Lab{SelfTest: true, Measure: func(_ context.Context, trial weir.Trial) (weir.TrialResult, error) {
		load, n := trial.Intended, trial.Frames()
		if trial.Maximum {
			load, n = 1e6, uint64(1e6*trial.Duration.Seconds())
		}
		r := weir.TrialResult{Trial: trial, Sending: trial.Duration, Offered: n, Received: n, Simulated: true}
		switch {
		case trial.Bypass:
		case load > 3e5:
			r.Received = n / 2
		case len(disturbed) == 0 && trial.Purpose != "probe": // once: more is not repeated in so short a search
			disturbed[load] = true
			r.Received--
			r.Warnings = []weir.Warning{{Code: weir.StealTime}}
		}
		return r, nil
	}}
	var rec memory
	c, err := Run(t.Context(), p, lab, &rec, func(Event) {})
	if err != nil || len(c.Results) != 1 {
		t.Fatalf("%d results, %v", len(c.Results), err)
	}
	r, again := c.Results[0], 0
	for _, trial := range rec.trials {
		if trial.Attempts == 2 {
			again++
		}
	}
	if again == 0 || 4*again > len(rec.trials) {
		t.Errorf("%d second attempts are recorded of %d disturbed trials, and %d in all", again, len(disturbed), len(rec.trials))
	}
	c.Trials = rec.trials
	if d := cmp.Diff(r.Claim, method.Claim(r, claim.Trials(c, r))); d != "" || r.Claim.Name != "RFC 2544 throughput" {
		t.Errorf("%q, and from the store:\n%s", r.Claim.Name, d)
	}
}
