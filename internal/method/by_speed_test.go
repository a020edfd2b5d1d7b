package method

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/sim"
)

// onTester is a simulated DUT behind a ring of 256 frames and a tester that sends 1.6 M
// frames/s.
func onTester(t *testing.T, c sim.Config) Env {
	c.Capacity, c.Buffer, c.Latency = 700e3, 256, 20*time.Microsecond
	env := simulated(t, c)
	env.Ring, env.Ceiling = 256, 1.6e6
	return numbered(env)
}

// A search on a machine that jumps between three speeds knows them where its trials met
// several, and its rate is that of the one that it names, whatever the others were.
func TestThroughputOfSeveralSpeeds(t *testing.T) {
	const campaigns = 20
	speeds := [sim.MaxSpeeds]float64{1, .73, .46}
	for _, c := range []struct {
		dwell time.Duration
		know  int // campaigns that know of several speeds, at least
	}{{300 * time.Millisecond, 18}, {time.Second, 12}, {2 * time.Second, 6}} {
		know, chance := 0, 0
		for seed := range uint64(campaigns) {
			r := run(t, throughputName, onTester(t, sim.Config{WindowNoise: .005, Seed: seed + 1, Speeds: speeds, SpeedTime: c.dwell}), Params{})
			text := warningOf(r, weir.SeveralSpeeds)
			if text == "" {
				continue
			}
			know++
			all, lead := speedsOf(r)
			if off := math.Min(math.Abs(all[0]/700e3-1), math.Abs(all[0]/511e3-1)); off > .02 {
				t.Errorf("%v, seed %d: the fastest speed of %q is none of the router's", c.dwell, seed+1, text)
			}
			switch {
			case lead == 0:
				chance++
			case math.Abs(r.Value/lead-1) > .06 || r.Lower > r.Upper:
				t.Errorf("%v, seed %d: %.0f (%.0f to %.0f), %q", c.dwell, seed+1, r.Value, r.Lower, r.Upper, text)
			}
		}
		if know < c.know || chance > know/4 {
			t.Errorf("%v: %d of %d campaigns know of several speeds, %d of these by chance, want %d", c.dwell, know, campaigns, chance, c.know)
		}
	}
}

// speedsOf returns the speeds that a result names, in frames/s, and the one that it is of; 0
// where its speeds are chance.
func speedsOf(r weir.Result) (all []float64, lead float64) {
	for _, w := range r.Warnings {
		if w.Code == weir.SeveralSpeeds {
			for _, v := range w.Args {
				if x, ok := v.(float64); ok {
					all = append(all, x)
				}
			}
		}
	}
	if len(all)%2 == 1 { // each speed has its share, and the one that leads comes last
		lead = all[len(all)-1]
	}
	for i := range len(all) / 2 {
		all[i] = all[2*i]
	}
	return all[:len(all)/2], lead
}

// An MLRsearch does not put bounds at different speeds against each other: the rates of all of
// its goals are those while the DUT has the speed that they name.
func TestMLRsearchOfSeveralSpeeds(t *testing.T) {
	campaigns := uint64(3)
	if !testing.Short() {
		campaigns = 10
	}
	m, _ := ByName(mlrName)
	for seed := range campaigns {
		env := onTester(t, sim.Config{WindowNoise: .005, Seed: seed + 1, Speeds: [sim.MaxSpeeds]float64{1, .73, .46}, SpeedTime: 300 * time.Millisecond})
		all, err := m.Run(t.Context(), env, m.Params(Params{}))
		if err != nil || len(all) != 2 {
			t.Fatalf("seed %d: %d results, %v", seed+1, len(all), err)
		}
		for _, r := range all {
			if _, lead := speedsOf(r); lead == 0 || math.Abs(r.Value/lead-1) > .06 || r.Lower > r.Upper {
				t.Errorf("seed %d, loss %v: %.0f (%.0f to %.0f), %q", seed+1, r.LossRatio, r.Value, r.Lower, r.Upper, warningOf(r, weir.SeveralSpeeds))
			}
		}
	}
}

// A rate is called by its goal's name only where each trial at that load met the goal as a
// whole, and not while the DUT had its speed alone.
func TestThroughputAtOneSpeedHasNoName(t *testing.T) {
	names := map[string]int{}
	for seed := range uint64(20) {
		env := onTester(t, sim.Config{WindowNoise: .005, Seed: seed + 1, Speeds: [sim.MaxSpeeds]float64{1, .5}, SpeedTime: 300 * time.Millisecond})
		var trials []weir.TrialResult
		measure := env.Measure
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := measure(ctx, trial)
			trials = append(trials, r)
			return r, err
		}
		r := run(t, throughputName, env, Params{Loss: .005})
		lossy := slices.ContainsFunc(trials, func(t weir.TrialResult) bool { return t.Trial.Intended == r.Lower && t.LossRatio() > .005 })
		names[r.Claim.Name]++
		if named := strings.HasPrefix(r.Claim.Name, "rate at"); named == lossy {
			t.Errorf("seed %d: %q, though a trial at that load lost more: %v", seed+1, r.Claim.Name, lossy)
		}
	}
	if len(names) < 2 {
		t.Errorf("all results are called %v: the test shows nothing", names)
	}
}

// A tester that has no timelines for some traffic searches without, and trials that were
// recorded before there were any are as good as others.
func TestThroughputWithoutTimelines(t *testing.T) {
	for what, failure := range map[string]error{"no timelines": &weir.UnsupportedError{Feature: "a timeline"}, "recorded without": nil} {
		env := onTester(t, sim.Config{})
		measure := env.Measure
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			if trial.Resolution > 0 && failure != nil {
				return weir.TrialResult{}, failure
			}
			out, err := measure(ctx, trial)
			out.Timeline = nil
			return out, err
		}
		for _, name := range []string{throughputName, mlrName} {
			if r := run(t, name, env, Params{}); math.Abs(r.Value/700e3-1) > .02 {
				t.Errorf("%s, %s: %v of 700000 frames/s", what, name, r.Value)
			}
		}
	}
}

// A search on a machine with one speed tells of no other, whatever disturbs it.
func TestThroughputOfOneSpeed(t *testing.T) {
	campaigns := uint64(10)
	if !testing.Short() {
		campaigns = 50
	}
	for name, c := range map[string]sim.Config{
		"plain": {}, "noise and interruptions": {WindowNoise: .02, Interruptions: 8}, "wave": {SharedWave: .08, WindowNoise: .02, Interruptions: 8},
		"overload costs": {Livelock: .3, WindowNoise: .02}, "overload costs, interruptions": {Livelock: .3, Interruptions: 8}, "many interruptions": {SharedWave: .03, Interruptions: 30},
	} {
		for seed := range campaigns {
			c.Seed = seed + 1
			if text := warningOf(run(t, throughputName, onTester(t, c), Params{}), weir.SeveralSpeeds); text != "" {
				t.Errorf("%s, seed %d: %s", name, c.Seed, text)
			}
		}
	}
}
