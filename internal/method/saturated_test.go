package method

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
	"weir/sweep"
)

// beside are DUTs side by side on a simulated machine: plain, plain again, and one
// with rules.
func sideBySide(env Env) Env {
	env.Traffic.Arms, env.Ring = 3, 256
	for _, f := range []weir.Firewall{{}, {}, {Kind: weir.Stateless}} {
		env.Arms = append(env.Arms, Arm{Name: f.String(), Condition: weir.ConditionOf(f), Factors: weir.Factors{"firewall": f.String()}})
	}
	return env
}

var saturatedTruth = sim.Config{Capacity: 700e3, Buffer: 256, Latency: 20 * time.Microsecond, FirewallCost: .1}

// A DUT by itself has the rate of its windows, whatever number of ports sends.
func TestSaturated(t *testing.T) {
	for name, change := range map[string]func(Env) Env{"one way": func(e Env) Env { return e }, "both ways": bidirectional} {
		r := run(t, saturatedName, change(simulated(t, saturatedTruth)), Params{Windows: Windows{Time: 300 * time.Millisecond}})
		if math.Abs(r.Value/700e3-1) > .002 || r.Claim.Name != claim.SaturatedName || r.Unit != "frames/s" || r.TrialSeconds != .005 {
			t.Errorf("%s: %v %s, %q of %v s", name, r.Value, r.Unit, r.Claim.Name, r.TrialSeconds)
		}
		if r.Latency == nil || math.Abs(r.Latency.P50-20e-6) > 1e-6 || math.Abs(r.CPUShare*2-.5) > .01 || r.Trials != 3 {
			t.Errorf("%s: %+v, CPU share %v, %d trials", name, r.Latency, r.CPUShare, r.Trials)
		}
	}
}

// On a machine whose capacity waves and which is interrupted, arms keep their
// ratio, and those that are equal have the same rate.
func TestSaturatedSideBySide(t *testing.T) {
	truth := saturatedTruth
	truth.SharedWave, truth.WindowNoise, truth.Interruptions, truth.Seed = .08, .02, 8, 4
	m, _ := ByName(saturatedName)
	env := sideBySide(simulated(t, truth))
	var before []weir.Result
	for build := range 3 {
		env.Build, env.Past = build, before
		found, err := m.Run(t.Context(), env, Params{})
		if err != nil || len(found) != 3 {
			t.Fatalf("%d results, %v", len(found), err)
		}
		same, costs := found[1].Value/found[0].Value, found[2].Value/found[0].Value
		if math.Abs(same-1) > .01 || math.Abs(costs*1.1-1) > .01 {
			t.Errorf("build %d: equal arms %v, with rules %v", build, same, costs)
		}
		for i, r := range found {
			if r.Ledger.Offered == 0 || r.Ledger.Unexplained != 0 || math.Abs(r.LossRatio-float64(r.Ledger.Offered-r.Ledger.Received)/float64(r.Ledger.Offered)) > 1e-12 {
				t.Errorf("build %d, result %d: ledger %+v, loss %v", build, i, r.Ledger, r.LossRatio)
			}
			if r.Factors["firewall"] != env.Arms[i].Name || r.First != found[0].First || r.Last != found[2].Last || r.Latency == nil || r.Value == 0 {
				t.Errorf("build %d, result %d: %+v", build, i, r)
			}
		}
		if trials := found[0].Trials; trials != map[bool]int{true: 5, false: 4}[build == 0] { // the first one looks for a load
			t.Errorf("build %d took %d trials", build, trials)
		}
		before = found
	}
}

// A load that is not enough makes no rate by that name, but one that it is at
// least.
func TestSaturatedDoubts(t *testing.T) {
	env := simulated(t, saturatedTruth)
	r := run(t, saturatedName, env, Params{Maximum: 705e3})
	if !slices.Contains(codes(r), weir.TesterLimited) || r.Claim.Name != claim.SaturatedName+", at least" {
		t.Errorf("%v, %q", codes(r), r.Claim.Name)
	}
}

// What an arm that forwards nothing has, one of which no window counts, and others
// beside them.
func TestSaturatedArms(t *testing.T) {
	s := &overfilled{session: &session{env: sideBySide(simulated(t, saturatedTruth)), params: saturatedDefaults}}
	found := sweep.BuildResult{Blocks: 9, Arms: []sweep.Arm{
		{Windows: 9, Rate: 500e3, Pairs: 9}, {Windows: 9}, {Short: 9}, {Windows: 9, Rate: 400e3, Pairs: 9, Effect: -.1},
	}}
	s.env.Arms = append(s.env.Arms, s.env.Arms[0])
	overload := weir.TrialResult{Arms: []weir.Ledger{{Offered: 10, Received: 5}, {Offered: 10}, {Offered: 4, Received: 4}, {Offered: 10, Received: 4}}}
	for arm, want := range []struct {
		value, loss float64
		code        weir.WarningCode
	}{{500e3, .5, ""}, {0, 1, weir.NothingForwarded}, {0, 0, weir.TesterLimited}, {500e3 * math.Exp(-.1), .6, ""}} {
		r := s.of(arm, found, overload, nil)
		if r.Value != want.value || r.LossRatio != want.loss || r.Ledger.Offered != overload.Arms[arm].Offered ||
			(want.code == "") != (len(r.Warnings) == 0) || want.code != "" && !slices.Contains(codes(r), want.code) {
			t.Errorf("arm %d: %v frames/s, loss %v, %v", arm, r.Value, r.LossRatio, r.Warnings)
		}
	}
	// One that forwards all that the tester could send does that at least, and takes
	// nothing from the others.
	found.Arms[2].Least, found.LeftOut, found.Reasons = 450e3, .5, []sweep.Reason{{Name: sweep.Unsent, Windows: 9, Share: .5}}
	if r := s.of(2, found, overload, nil); r.Value != 450e3 || !slices.Contains(codes(r), weir.TesterLimited) {
		t.Errorf("of an arm beyond the tester: %v, %v", r.Value, r.Warnings)
	}
	if r := s.of(0, found, overload, nil); r.Value != 500e3 || len(r.Warnings) > 0 {
		t.Errorf("beside an arm beyond the tester: %v, %v", r.Value, r.Warnings)
	}
	found.LeftOut, found.Reasons = 0, nil
	// Where the first forwards nothing the others have their own rate.
	found.Arms[0], found.Arms[3].Pairs = sweep.Arm{Windows: 9}, 0
	if r := s.of(3, found, overload, nil); r.Value != 400e3 {
		t.Errorf("beside a first that forwards nothing: %v", r.Value)
	}
	found.LeftOut = .5
	if r := s.of(3, found, overload, nil); r.Value != 0 || !slices.Contains(codes(r), weir.BusyMachine) {
		t.Errorf("of half of the windows: %v, %v", r.Value, r.Warnings)
	}
}

// Of a DUT that forwards more than the tester sends evenly there is a rate that it has at
// least, at the highest load of which windows count, also where a build before knew it.
func TestSaturatedBeyondTheTester(t *testing.T) {
	truth := saturatedTruth
	truth.Capacity = 5e6
	env := simulated(t, truth)
	env.Ring = 256
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		for i, w := range trial.Windows {
			if w.Intended > 600e3 && i < len(r.Windows) {
				r.Windows[i].GeneratorGap = time.Millisecond
			}
		}
		return r, err
	}
	for range 2 {
		r := run(t, saturatedName, env, Params{Maximum: 3e6, Windows: Windows{Time: 300 * time.Millisecond}})
		if r.Value < 350e3 || r.Value > 600e3 || r.Claim.Name != claim.SaturatedName+", at least" || !slices.Contains(codes(r), weir.TesterLimited) {
			t.Errorf("%v, %q, %+v", r.Value, r.Claim.Name, r.Warnings)
		}
		env.Past = []weir.Result{r}
	}
}
