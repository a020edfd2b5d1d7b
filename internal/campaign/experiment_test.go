package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestParseExperiment(t *testing.T) {
	p := plan(t, `
traffic: {sizes: [64, imix]}
dut: {gro: on}
factors:
  firewall: [none, {kind: stateful, rules: 25, with: iptables}]
  direction: [forward, both]
  gro: [default, off]
  sysctl net.core.netdev_budget: [300, 600]
runs: {count: 4, order: abba, seed: 9, reset: rebuild, detect: 1%, equivalent: 2%, confidence: 99%}
`)
	want := weir.Experiment{
		Factors: []weir.Factor{
			{Name: "firewall", Levels: []string{"none", "kind stateful, rules 25, with iptables"}},
			{Name: "direction", Levels: []string{"forward", "both"}, Traffic: true},
			{Name: "gro", Levels: []string{"default", "off"}},
			{Name: "sysctl net.core.netdev_budget", Levels: []string{"300", "600"}},
		},
		Schedule: weir.ABBA, Seed: 9, Reset: weir.Rebuild, Same: true, Runs: 4, Detect: 0.01, Margin: 0.02, Confidence: 0.99,
	}
	got := p.Experiment.Experiment
	if len(got.Arms) != 8 || got.Arms[0] != "firewall none, gro default, sysctl net.core.netdev_budget 300" {
		t.Errorf("arms %q", got.Arms)
	}
	got.Arms = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("experiment (-want +got):\n%s", diff)
	}
	if len(p.Levels) != 16 || len(p.Traffic) != 4 {
		t.Fatalf("%d levels, %d traffics", len(p.Levels), len(p.Traffic))
	}
	last := p.Levels[slices.IndexFunc(p.Levels, func(l Level) bool {
		return strings.HasPrefix(l.Arm, "firewall kind") && l.Stratum == "direction both" && strings.HasSuffix(l.Arm, "gro off, sysctl net.core.netdev_budget 600")
	})]
	if diff := cmp.Diff(weir.Condition{
		Firewall: weir.Firewall{Kind: weir.Stateful, Rules: 25, With: weir.IPTables},
		Tunings:  []weir.Tuning{{Name: "gro", Value: "off"}, {Name: "sysctl net.core.netdev_budget", Value: "600"}},
	}, last.Condition); diff != "" {
		t.Errorf("condition (-want +got):\n%s", diff)
	}
	wantLevels := `{"direction":"both","firewall":"kind stateful, rules 25, with iptables","frame_size":64,"gro":"off","sysctl net.core.netdev_budget":600}`
	if got := levelsOf(last.factors(last.Traffic[0])); got != wantLevels {
		t.Errorf("levels %s, want %s", got, wantLevels)
	}
	first := p.Levels[0].factors(p.Levels[0].Traffic[0])
	if first["firewall"] != "none" || first["direction"] != "forward" || first["gro"] != "default" || len(p.Levels[0].Condition.Tunings) != 1 {
		t.Errorf("the first level: %v, %v", first, p.Levels[0].Condition)
	}
}

// Where combinations are listed, or no setting of the DUT is varied, each of
// them is an arm.
func TestParseCombinations(t *testing.T) {
	for text, want := range map[string][]string{
		"factors: {napi: [softirq, threaded], flows: [1, 1000]}\ncombinations: one-at-a-time\n":                                    {"baseline", "napi threaded", "flows 1000"},
		"factors: {napi: [softirq, threaded], flows: [1, 1000]}\ncombinations: [{napi: threaded}, {napi: softirq, flows: 1000}]\n": {"napi threaded, flows 1", "napi softirq, flows 1000"},
		"factors: {flows: [1, 10k]}\n": {"flows 1", "flows 10k"},
		"runs: 3\n":                    {"plain"},
		"factors: {command: [none, {name: quick, do: date, undo: date}, {do: 'date -u', undo: x}]}\n": {"command none", "command quick", "command do date -u, undo x"},
		"testbed: {kind: sim}\nfactors: {latency: [20us, 1ms], capacity: [1M, 1.1M]}\ncombinations: one-at-a-time\n": {
			"baseline", "latency 1ms", "capacity 1.1M"},
	} {
		p := plan(t, text)
		if diff := cmp.Diff(want, p.Experiment.Arms); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		for _, l := range p.Levels {
			if l.Stratum != "" {
				t.Errorf("%s: the stratum %s", text, l.Stratum)
			}
		}
	}
	p := plan(t, "testbed: {kind: sim}\nfactors: {latency: [20us, 1ms], route_cost: [0, 5%]}\n")
	if diff := cmp.Diff([]weir.Tuning{{Name: "latency", Value: "1000000"}, {Name: "route_cost", Value: "0.05"}}, p.Levels[3].Condition.Tunings); diff != "" {
		t.Errorf("tunings (-want +got):\n%s", diff)
	}
}

const threeArms = `
testbed: {kind: sim}
traffic: {sizes: [64, 512]}
factors: {firewall: [none, stateless, stateful], direction: [forward, reverse]}
methods: [{method: throughput, trial: 100ms, loss: 1%}]
runs: {count: 4, seed: 2}
`

// A replicate has each arm once with each traffic, and the baseline twice; its
// order is another one in each replicate, and the same whenever it is asked for.
func TestSchedule(t *testing.T) {
	for _, order := range []weir.Schedule{weir.Blocks, weir.ABBA} {
		p := plan(t, threeArms)
		p.Experiment.Schedule = order
		blocks, runs := p.Schedule()
		if len(blocks) != 4*4 || runs != 16*4 {
			t.Fatalf("%s: %d blocks, %d runs", order, len(blocks), runs)
		}
		orders := make(map[string]int)
		for i, b := range blocks {
			arms := slices.Sorted(slices.Values(b.Arms))
			if diff := cmp.Diff([]string{"firewall none", "firewall none again", "firewall stateful", "firewall stateless"}, arms); diff != "" {
				t.Errorf("%s, block %d (-want +got):\n%s", order, b.Block, diff)
			}
			if b.Block != i+1 {
				t.Errorf("%s: block %d is number %d", order, i+1, b.Block)
			}
			orders[strings.Join(b.Arms, "|")]++
			if back := slices.Clone(b.Arms); order == weir.ABBA && i%2 == 0 {
				slices.Reverse(back)
				if diff := cmp.Diff(back, blocks[i+1].Arms); diff != "" || b.Traffic != blocks[i+1].Traffic || b.Stratum != blocks[i+1].Stratum {
					t.Errorf("block %d is not followed by its mirror: %v, %v", b.Block, b, blocks[i+1])
				}
			}
		}
		if len(orders) < 6 {
			t.Errorf("%s: only %d different orders", order, len(orders))
		}
		again, _ := p.Schedule()
		if diff := cmp.Diff(blocks, again); diff != "" {
			t.Errorf("%s: another order (-first +then):\n%s", order, diff)
		}
		p.Experiment.Seed++
		other, _ := p.Schedule()
		if cmp.Equal(blocks, other) {
			t.Errorf("%s: another seed gives the same order", order)
		}
	}
}

// applied is a lab that notes what is done between the trials of runs.
func applied(log *[]string) Lab {
	last := 0
	return Lab{
		Measure: func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			if trial.Run != last {
				*log = append(*log, fmt.Sprint("run ", trial.Run))
				last = trial.Run
			}
			return wire(ctx, trial)
		},
		Apply: func(_ context.Context, all ...weir.Condition) (func(context.Context) error, error) {
			for _, c := range all {
				*log = append(*log, c.String())
			}
			return func(context.Context) error {
				*log = append(*log, "undone")
				return nil
			}, nil
		},
		Rebuild: func(_ context.Context, bed Testbed) (Lab, error) {
			*log = append(*log, strings.TrimSuffix(fmt.Sprint("rebuilt", bed.CPUs.DUT, " for ", bed.Arms), " for 0"))
			return Lab{CPUs: bed.CPUs}, nil
		},
	}
}

const twoArms = "testbed: {kind: sim}\ntraffic: {sizes: 64}\nfactors: {firewall: [stateless, stateful]}\nmethods: frmol\nruns: {count: 3, seed: 5}\n"

func TestRunsOfAnExperiment(t *testing.T) {
	p := plan(t, twoArms)
	for reset, perRun := range map[weir.Reset]string{
		weir.Reapply: "firewall, run, undone", weir.Rebuild: "rebuilt[], firewall, run, undone", weir.NoReset: "",
	} {
		p.Experiment.Reset = reset
		var log []string
		c, err := Run(t.Context(), p, applied(&log), &memory{}, nil)
		if err != nil || len(c.Results) != 9 || c.Manifest.Experiment == nil {
			t.Fatalf("%s: %d results, %v", reset, len(c.Results), err)
		}
		number := 0
		for _, r := range c.Results {
			if number++; r.Run.Number != number || r.Run.Block != (number-1)/3+1 || r.Factors["firewall"] != strings.TrimPrefix(r.Run.Arm, "firewall ") {
				t.Errorf("%s: result %d is of %+v at %v", reset, number, r.Run, r.Factors)
			}
		}
		if perRun == "" {
			set, undone := 0, 0
			for i, line := range log {
				if strings.HasPrefix(line, "firewall") {
					set++
					if i > 1 && log[i-2] == line {
						t.Errorf("set anew without need: %v", log[:i+1])
					}
				} else if line == "undone" {
					undone++
				}
			}
			if set != undone || set >= 9 || set < 3 {
				t.Errorf("no reset: set %d times, undone %d times", set, undone)
			}
			continue
		}
		var short []string
		for _, line := range log {
			short = append(short, strings.Fields(line)[0])
		}
		if got := strings.Join(short, ", "); got != strings.TrimSuffix(strings.Repeat(perRun+", ", 9), ", ") {
			t.Errorf("%s: %s", reset, got)
		}
	}
}

// Where the testbed is a factor it is set up for each run that has another one
// than the run before, and the tester of each is measured by itself.
func TestTestbedsOfAnExperiment(t *testing.T) {
	p := plan(t, "traffic: {sizes: 64}\nfactors: {testbed: [{cpus: {dut: [1]}}, {cpus: {dut: [2, 3]}}]}\nmethods: frmol\nruns: {count: 3, seed: 5, reset: none}\n")
	var log []string
	lab := applied(&log)
	lab.SelfTest = true
	c, err := Run(t.Context(), p, lab, &memory{}, nil)
	if err != nil || len(c.Results) != 9 || len(c.Manifest.Ceiling) != 2 {
		t.Fatalf("%d results, ceilings %v, %v", len(c.Results), c.Manifest.Ceiling, err)
	}
	bed, runs := "", 0
	for _, line := range log {
		if strings.HasPrefix(line, "rebuilt") {
			if bed == line {
				t.Errorf("set up twice in a row: %v", log)
			}
			bed = line
			continue
		}
		runs++
		arm := c.Results[runs-1].Run.Arm
		if want := map[string]string{"testbed cpus (dut 1)": "rebuilt[1]", "testbed cpus (dut 2+3)": "rebuilt[2 3]"}[arm]; bed != want {
			t.Errorf("%s was measured in %s", arm, bed)
		}
	}
	if runs != 9 {
		t.Errorf("%d runs: %v", runs, log)
	}
}

func TestRunsThatFail(t *testing.T) {
	p := plan(t, twoArms)
	stuck := errors.New("it is stuck")
	for name, c := range map[string]struct {
		change func(*Lab)
		reset  weir.Reset
		want   string
	}{
		"the DUT does not come back": {func(l *Lab) {
			l.Measure = func(_ context.Context, trial weir.Trial) (weir.TrialResult, error) {
				return weir.TrialResult{}, stuck
			}
		}, weir.Reapply, "3 runs in a row found nothing, and no more are made"},
		"a level that cannot be undone": {func(l *Lab) {
			l.Apply = func(context.Context, ...weir.Condition) (func(context.Context) error, error) {
				return func(context.Context) error { return stuck }, nil
			}
		}, weir.Reapply, `undo the condition "firewall state`},
		"a testbed that does not come back": {func(l *Lab) {
			l.Rebuild = func(context.Context, Testbed) (Lab, error) { return Lab{}, stuck }
		}, weir.Rebuild, "set the testbed up for run 1: it is stuck"},
		"a testbed that cannot be rebuilt": {func(l *Lab) { l.Rebuild = nil }, weir.Rebuild, "cannot be set up anew between runs"},
		"a level that is refused": {func(l *Lab) {
			l.Cannot = func(_ context.Context, c weir.Condition) error {
				if c.Firewall.Kind == weir.Stateful {
					return stuck
				}
				return nil
			}
		}, weir.Reapply, `the level "firewall stateful" cannot be set here: it is stuck`},
	} {
		var log []string
		lab := applied(&log)
		c.change(&lab)
		p.Experiment.Reset = c.reset
		got, err := Run(t.Context(), p, lab, &memory{}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(got.Ended, "failed") {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(name, "refused") && len(got.Trials) > 0 {
			t.Errorf("%s: %d trials", name, len(got.Trials))
		}
	}
}

// An experiment that was cut anywhere goes on where it was, and ends as one that
// was never cut.
func TestResumeExperiment(t *testing.T) {
	for name, p := range map[string]Plan{
		"blocks":       plan(t, "testbed: {kind: sim}\ntraffic: {sizes: 64}\nfactors: {filters: [0, 25]}\nmethods: [frmol, {method: throughput, loss: 1%, trial: 100ms}]\nruns: {count: 3, seed: 5}\n"),
		"side by side": plan(t, sideBySide),
	} {
		t.Run(name, func(t *testing.T) { resumes(t, p, map[string]int{"blocks": 7, "side by side": 1}[name]) })
	}
}

// resumes cuts a campaign after each so many records.
func resumes(t *testing.T, p Plan, step int) {
	lab := func() Lab {
		l := simulated(t)
		l.Rebuild = func(context.Context, Testbed) (Lab, error) { return l, nil }
		return l
	}
	whole := &mortal{lives: -1}
	c, err := Run(t.Context(), p, lab(), whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, records := measured(t, c), len(c.Trials)+len(c.Results)
	for lives := 1; lives < records; lives += step {
		m := &mortal{lives: lives}
		if _, err := Run(t.Context(), p, lab(), m, nil); !errors.Is(err, errKilled) {
			t.Fatalf("cut after %d records: %v", lives, err)
		}
		m.lives = -1
		c, err := Resume(t.Context(), stored(t, m.disk), p, lab(), m, nil)
		if err != nil {
			t.Fatalf("cut after %d records: %v", lives, err)
		}
		if len(m.twice) > 0 {
			t.Errorf("cut after %d records: recorded twice: %v", lives, m.twice)
		}
		if diff := cmp.Diff(want, measured(t, c)); diff != "" {
			t.Fatalf("cut after %d records (-whole +resumed):\n%s", lives, diff)
		}
	}
}

// A pilot says how many runs it takes: the smaller the change, the more.
func TestPilot(t *testing.T) {
	made := make(map[string]int)
	for _, detect := range []string{"20%", "2%", "0.1%"} {
		p := plan(t, "testbed: {kind: sim}\ntraffic: {sizes: 64}\nfactors: {filters: [0, 25]}\nmethods: [{method: throughput, loss: 1%, trial: 100ms, width: 0.2%}]\n"+
			"runs: {detect: "+detect+", pilot: 4, most: 30}\n")
		c, err := Run(t.Context(), p, simulated(t), &memory{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		made[detect] = c.Manifest.Experiment.Runs
		if n := len(c.Results); n != 3*made[detect] {
			t.Errorf("detect %s: %d results of %d replicates", detect, n, made[detect])
		}
	}
	if made["20%"] > 10 || made["2%"] < made["20%"] || made["0.1%"] != 30 {
		t.Errorf("replicates: %v", made)
	}
}

// What could not be taken back is said beside an interruption.
func TestInterruptedAndNotUndone(t *testing.T) {
	p := plan(t, twoArms)
	var log []string
	lab := applied(&log)
	ctx, cancel := context.WithCancel(t.Context())
	lab.Apply = func(context.Context, ...weir.Condition) (func(context.Context) error, error) {
		cancel()
		return func(context.Context) error { return errors.New("it is stuck") }, nil
	}
	c, err := Run(ctx, p, lab, &memory{}, nil)
	var left *UndoError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &left) || left.Condition.Firewall.Kind == "" || c.Ended != "interrupted" {
		t.Errorf("ended %q: %v", c.Ended, err)
	}
}

// Levels that are numbers are in the manifest as they are in results, however
// they were written, and no two are the same.
func TestLevelsAsInResults(t *testing.T) {
	p := plan(t, "factors: {flows: [1k, 10k], firewall: [none, stateful]}\n")
	want := []weir.Factor{{Name: "flows", Levels: []string{"1000", "10000"}, Traffic: true}, {Name: "firewall", Levels: []string{"none", "stateful"}}}
	if diff := cmp.Diff(want, p.Experiment.Factors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"factors: {}\n", "factors: {flows: [1k, 1000]}\n"} {
		if _, err := Parse("x.yaml", []byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
