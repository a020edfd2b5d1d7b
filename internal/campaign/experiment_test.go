package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weir"
	"weir/internal/plan"
)

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
		Rebuild: func(_ context.Context, bed plan.Testbed) (Lab, error) {
			*log = append(*log, strings.TrimSuffix(fmt.Sprint("rebuilt", bed.CPUs.DUT, " for ", bed.Arms), " for 0"))
			return Lab{CPUs: bed.CPUs}, nil
		},
	}
}

const twoArms = "testbed: {kind: sim}\ntraffic: {sizes: 64}\nfactors: {firewall: [stateless, stateful]}\nmethods: frmol\nruns: {count: 3, seed: 5}\n"

func TestRunsOfAnExperiment(t *testing.T) {
	p := parsed(t, twoArms)
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
	p := parsed(t, "traffic: {sizes: 64}\nfactors: {testbed: [{cpus: {dut: [1]}}, {cpus: {dut: [2, 3]}}]}\nmethods: frmol\nruns: {count: 3, seed: 5, reset: none}\n")
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
	p := parsed(t, twoArms)
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
			l.Rebuild = func(context.Context, plan.Testbed) (Lab, error) { return Lab{}, stuck }
		}, weir.Rebuild, "set the testbed up for run 1: it is stuck"},
		"a testbed that cannot be rebuilt": {func(l *Lab) { l.Rebuild = nil }, weir.Rebuild, "cannot be set up anew between runs"},
		"a level that is refused": {func(l *Lab) {
			l.Cannot = func(_ context.Context, c weir.Condition) error {
				if c.Firewall().Kind == weir.Stateful {
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
	lab := func(t *testing.T) Lab {
		l := simulated(t)
		l.Rebuild = func(context.Context, plan.Testbed) (Lab, error) { return l, nil }
		return l
	}
	t.Run("blocks", func(t *testing.T) {
		resumed(t, parsed(t, "testbed: {kind: sim}\ntraffic: {sizes: 64}\nfactors: {filters: [0, 25]}\nmethods: [frmol, {method: throughput, loss: 1%, trial: 100ms}]\nruns: {count: 3, seed: 5}\n"), 18, lab)
	})
	t.Run("side by side", func(t *testing.T) { resumed(t, parsed(t, sideBySide), 12, lab) })
}

// A pilot says how many runs it takes: the smaller the change, the more.
func TestPilot(t *testing.T) {
	made := make(map[string]int)
	for _, detect := range []string{"20%", "2%", "0.1%"} {
		p := parsed(t, "testbed: {kind: sim}\ntraffic: {sizes: 64}\nfactors: {filters: [0, 25]}\nmethods: [{method: throughput, loss: 1%, trial: 100ms, width: 0.2%}]\n"+
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
	p := parsed(t, twoArms)
	var log []string
	lab := applied(&log)
	ctx, cancel := context.WithCancel(t.Context())
	lab.Apply = func(context.Context, ...weir.Condition) (func(context.Context) error, error) {
		cancel()
		return func(context.Context) error { return errors.New("it is stuck") }, nil
	}
	c, err := Run(ctx, p, lab, &memory{}, nil)
	var left *UndoError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &left) || left.Condition.Firewall().Kind == "" || c.Ended != "interrupted" {
		t.Errorf("ended %q: %v", c.Ended, err)
	}
}
