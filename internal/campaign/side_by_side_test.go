package campaign

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/plan"
)

const sideBySide = "testbed: {kind: sim, capacity: 1M, window_noise: 0.01, firewall_cost: 0.1}\ntraffic: {sizes: 64}\n" +
	"factors: {firewall: [none, stateless, stateful]}\nmethods: [{method: saturated, within: 300ms}]\nruns: {count: 3, seed: 5}\n"

// Each block is a build of all arms, set to their conditions, and has a result of each.
func TestSideBySide(t *testing.T) {
	p := parsed(t, sideBySide)
	lab := simulated(t)
	var builds []int
	var set []string
	lab.Rebuild = func(_ context.Context, bed plan.Testbed) (Lab, error) {
		builds = append(builds, bed.Arms)
		return lab, nil
	}
	lab.Apply = func(_ context.Context, all ...weir.Condition) (func(context.Context) error, error) {
		for _, c := range all {
			set = append(set, c.Firewall().String())
		}
		return func(context.Context) error { return nil }, nil
	}
	c, err := Run(t.Context(), p, lab, &memory{}, nil)
	if err != nil || len(c.Results) != 12 {
		t.Fatalf("%d results, %v", len(c.Results), err)
	}
	if !slices.Equal(builds, []int{4, 4, 4}) || len(set) != 12 {
		t.Errorf("built %v, set to %v", builds, set)
	}
	orders := map[string]bool{}
	for build := range 3 {
		rates, order := map[string]float64{}, ""
		of := c.Results[4*build : 4*build+4]
		for _, r := range of {
			rates[r.Run.Arm+map[bool]string{true: " again"}[r.Run.Again]] = r.Value
			order += r.Run.Arm + " "
			if r.Run.Block != build+1 || r.First != of[0].First || r.Last != of[0].Last || r.Factors["firewall"] != strings.TrimPrefix(r.Run.Arm, "firewall ") {
				t.Errorf("build %d: %+v at %v, trials %d to %d", build, r.Run, r.Factors, r.First, r.Last)
			}
		}
		orders[order] = true
		for arm, cost := range map[string]float64{"firewall none again": 1, "firewall stateless": 1.1, "firewall stateful": 1.2} {
			if got := rates[arm] / rates["firewall none"]; math.Abs(got*cost-1) > .01 {
				t.Errorf("build %d, %s: %v of the baseline, want %v", build, arm, got, 1/cost)
			}
		}
	}
	if len(orders) < 2 {
		t.Error("the arms of all builds stand in one order")
	}
	for _, trial := range c.Trials {
		if trial.Trial.Bypass == (len(trial.Trial.Beside) == 4) || !trial.Trial.Bypass && trial.Trial.Traffic.Arms != 4 {
			t.Errorf("trial %d of %s has %d conditions, %d arms", trial.Trial.Number, trial.Trial.Purpose, len(trial.Trial.Beside), trial.Trial.Traffic.Arms)
		}
	}
}

// An arm that forwards nothing is named.
func TestSilentArm(t *testing.T) {
	lab := simulated(t)
	measure := lab.Measure
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		for i, w := range trial.Windows {
			if trial.Beside[w.Side-1].Firewall().Kind == weir.Stateful {
				r.Windows[i].Received = 0
			}
		}
		return r, err
	}
	lab.Rebuild = func(context.Context, plan.Testbed) (Lab, error) { return lab, nil }
	_, err := Run(t.Context(), parsed(t, sideBySide), lab, &memory{}, nil)
	if err == nil || !strings.Contains(err.Error(), "firewall stateful forwards nothing") {
		t.Errorf("%v", err)
	}
}

// A probe of which nothing was sent says nothing of a DUT: it is sent again, longer,
// and at last the tester is named and not the DUT.
func TestProbeThatWasNotSent(t *testing.T) {
	for late, says := range map[int]string{2: "firewall stateful forwards nothing", probes: "sent nothing to"} {
		lab := simulated(t)
		measure := lab.Measure
		probed := 0
		lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := measure(ctx, trial)
			for i, w := range trial.Windows {
				if trial.Purpose != "probe" {
					continue
				}
				if trial.Beside[w.Side-1].Firewall().Kind == weir.Stateful {
					r.Windows[i].Received = 0
				}
				if probed < late {
					r.Windows[i].Sent, r.Windows[i].Received = 0, 0
				}
			}
			if trial.Purpose == "probe" {
				probed++
			}
			return r, err
		}
		lab.Rebuild = func(context.Context, plan.Testbed) (Lab, error) { return lab, nil }
		_, err := Run(t.Context(), parsed(t, sideBySide), lab, &memory{}, nil)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("late %d times: %v, want %q", late, err, says)
		}
	}
}

// After three blocks in a row that were disturbed the user is told, once, and may end
// the campaign.
func TestDisturbedBlocks(t *testing.T) {
	p := parsed(t, strings.Replace(twoArms, "count: 3", "count: 9", 1))
	for _, goOn := range []bool{true, false} {
		var log []string
		lab := applied(&log)
		measure, asked, told := lab.Measure, 0, 0
		lab.Manifest.CPUs = 1
		lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := measure(ctx, trial)
			r.Host = weir.HostLoad{Other: r.Sending / 2, Over: r.Sending}
			return r, err
		}
		lab.Ask = func(context.Context, string) bool { asked++; return goOn }
		c, err := Run(t.Context(), p, lab, &memory{}, func(e Event) {
			if e.Kind == BlocksDisturbed {
				told++
			}
		})
		want := map[bool]int{true: 27, false: 9}[goOn]
		if asked != 1 || told != 1 || len(c.Results) != want || (err == nil) != goOn {
			t.Errorf("asked %d times, told %d times, %d results, want %d; %v", asked, told, len(c.Results), want, err)
		}
	}
}

// A probe of which nothing was sent says nothing of the DUT: it is sent again, longer, and at
// last the tester is named.
func TestProbeWithoutCPU(t *testing.T) {
	for late, says := range map[int]string{2: "", probes: "the tester sent nothing in 5 probes"} {
		lab := simulated(t)
		measure := lab.Measure
		probed := 0
		lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := measure(ctx, trial)
			if trial.Purpose == "probe" {
				if probed++; probed <= late {
					r.Offered, r.Received, r.Start = 0, 0, time.Time{}
				}
			}
			return r, err
		}
		_, err := Run(t.Context(), parsed(t, "{testbed: {kind: sim}, traffic: {sizes: 64}, methods: [{method: frmol, trial: 100ms}]}"), lab, &memory{}, nil)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%d probes without a frame: %v", late, err)
		}
		if want := min(late+1, probes); probed != want {
			t.Errorf("%d probes, want %d", probed, want)
		}
	}
}
