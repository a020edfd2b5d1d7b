package proof

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/claim"
	"weir/stats"
)

func TestOf(t *testing.T) {
	c := model{seed: 1, replicates: 12, effects: []float64{0, 0, math.Log(0.85)}, noise: 0.02, waves: 0.02, same: true}.campaign()
	p, err := Of(c)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, c := range p.Comparisons {
		titles = append(titles, title(c))
	}
	want := []string{"throughput 64  0", "throughput 64 dut_cpu_seconds_per_frame 0", "throughput 512  0", "throughput 512 dut_cpu_seconds_per_frame 0"}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Fatal(diff)
	}
	for _, c := range values(p) {
		var arms []string
		for _, s := range c.Arms {
			arms = append(arms, s.Arm)
		}
		if diff := cmp.Diff([]string{"firewall none", "firewall none (A/A)", "firewall stateless", "firewall stateful"}, arms); diff != "" {
			t.Error(diff)
		}
		if c.Claim != "RFC 2544 throughput" || c.Blocks != 12 || c.LeftOut != 0 || len(c.Runs) != 48 || c.Same == nil || c.Unit != "frames/s" {
			t.Errorf("%s: %+v", title(c), c)
		}
		if diff := cmp.Diff(weir.Factors{"frame_size": map[string]int{"64": 64, "512": 512}[c.Traffic]}, c.Factors); diff != "" {
			t.Error(diff)
		}
		if e := c.Effects[1]; e.Verdict != stats.Proven || math.Abs(e.Change.Estimate+0.15) > 0.03 || len(c.Vetoes) > 0 {
			t.Errorf("stateful: %+v, vetoes %v", e, c.Vetoes)
		}
		if e := c.Effects[0]; e.Verdict != stats.Inconclusive {
			t.Errorf("stateless: %+v", e)
		}
	}
	if cpu := p.Comparisons[1]; cpu.Effects[1].Verdict != stats.Proven || cpu.Effects[1].Change.Estimate < 0 || cpu.Unit != "s" {
		t.Errorf("CPU time: %+v", cpu.Effects[1])
	}
	// Two values and two CPU times with two effects each: Holm knows the four
	// values alone.
	for _, c := range p.Comparisons {
		for _, e := range c.Effects {
			if e.Adjusted > 4*e.P*(1+1e-9) {
				t.Errorf("%s, %s: p %v became %v, more than four times as much", title(c), e.Arm, e.P, e.Adjusted)
			}
		}
	}
}

// atLimit makes a result one that the tester limited, at so much of what it was.
func atLimit(r *weir.Result, of float64) {
	r.Value, r.Width, r.Claim.Name = of*r.Value, 0, r.Claim.Name+", at least"
	r.Warnings = append(r.Warnings, madeUp(weir.TesterLimited))
}

// TestVetoes holds what befalls a campaign against what becomes of it.
func TestVetoes(t *testing.T) {
	third := func(r *weir.Result, of int) bool { return r.Run.Number > of/3 && r.Run.Number <= 2*of/3 }
	once := func(r *weir.Result) bool { return r.Run.Block == 5 && r.Run.Arm == arms[1] }
	for _, c := range []struct {
		name      string
		unblocked bool
		change    func(r *weir.Result, of int)
		veto      weir.WarningCode // ""; none
		warning   weir.WarningCode // ""; none in particular
		left      int              // out, in all comparisons
	}{
		{"nothing", false, nil, "", "", 0},
		{"nothing, without blocks", true, nil, "", "", 0},
		{"a busy loop for a third, seen by the gate", false, func(r *weir.Result, of int) {
			if third(r, of) {
				r.Value *= 0.5
				r.Warnings = append(r.Warnings, madeUp(weir.BusyMachine))
			}
		}, TooFewRuns, stats.BlocksLeftOut, 8},
		{"a busy loop for a third, seen by nobody", false, func(r *weir.Result, of int) {
			if third(r, of) {
				r.Value *= 0.5
			}
		}, Disturbed, "", 0},
		{"a busy loop for the first third, seen by nobody", false, func(r *weir.Result, of int) {
			if r.Run.Number <= of/3 {
				r.Value *= 0.5
			}
		}, Disturbed, Drifting, 0},
		{"a busy loop for a third, seen by nobody, without blocks", true, func(r *weir.Result, of int) {
			if third(r, of) {
				r.Value *= 0.5
			}
		}, Disturbed, "", 0},
		{"a busy loop for the last third, seen by nobody, without blocks", true, func(r *weir.Result, of int) {
			if r.Run.Number > 2*of/3 {
				r.Value *= 0.5
			}
		}, Drifting, "", 0},
		{"a slow drift", false, func(r *weir.Result, of int) {
			r.Value *= 1 + 0.1*float64(r.Run.Number)/float64(of)
		}, "", Drifting, 0},
		{"a slow drift, without blocks", true, func(r *weir.Result, of int) {
			r.Value *= 1 + 0.1*float64(r.Run.Number)/float64(of)
		}, Drifting, "", 0},
		{"one busy run", false, func(r *weir.Result, _ int) {
			if once(r) {
				r.Warnings = append(r.Warnings, madeUp(weir.StealTime))
			}
		}, "", stats.BlocksLeftOut, 1},
		{"one run that found nothing", false, func(r *weir.Result, _ int) {
			if once(r) {
				r.Value = 0
			}
		}, "", stats.BlocksLeftOut, 1},
		{"one run with a lesser claim", false, func(r *weir.Result, _ int) {
			if once(r) {
				r.Claim.Name = "throughput, short trials"
			}
		}, "", stats.BlocksLeftOut, 1},
		{"one arm with a lesser claim", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[1] {
				r.Claim.Name = "throughput, short trials"
			}
		}, ClaimsDiffer, "", 0},
		{"a load that was tried was beyond the tester", false, func(r *weir.Result, _ int) {
			r.Warnings = append(r.Warnings, madeUp(weir.TesterLimited), madeUp(weir.OfferedShort))
		}, "", "", 0},
		{"a tester at its limit", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[0] {
				r.Warnings = append(r.Warnings, madeUp(weir.TesterLimited), madeUp(weir.SearchLimit))
			}
		}, "", weir.TesterLimited, 0},
		{"an arm that is at least so much more", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[1] {
				r.Value, r.Width, r.Claim.Name = 2*r.Value, 0, r.Claim.Name+", at least"
				r.Warnings = append(r.Warnings, madeUp(weir.TesterLimited))
			}
		}, "", weir.TesterLimited, 0},
		{"an arm that is at least as much", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[1] {
				r.Width, r.Claim.Name = 0, r.Claim.Name+", at least"
				r.Warnings = append(r.Warnings, madeUp(weir.TesterLimited))
			}
		}, "", weir.TesterLimited, 0},
		{"all arms are at least as much", false, func(r *weir.Result, _ int) {
			r.Width, r.Claim.Name = 0, r.Claim.Name+", at least"
			r.Warnings = append(r.Warnings, madeUp(weir.TesterLimited))
		}, weir.TesterLimited, "", 0},
		{"a tester that was slow in one block", false, func(r *weir.Result, _ int) {
			if r.Run.Replicate == 5 {
				atLimit(r, .5)
			}
		}, "", stats.BlocksLeftOut, 2},
		{"a tester that was slow in a third of the blocks", false, func(r *weir.Result, _ int) {
			if r.Run.Replicate%3 == 0 {
				atLimit(r, .5)
			}
		}, weir.TesterLimited, "", 0},
		{"all arms reach the tester's limit in their best block", false, func(r *weir.Result, _ int) {
			if r.Run.Replicate == 5 {
				atLimit(r, 1.5)
			}
		}, weir.TesterLimited, "", 0},
		{"an arm that is often at the tester's limit", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[2] && r.Run.Replicate%4 == 1 {
				r.Warnings = append(r.Warnings, madeUp(weir.SearchLimit))
			}
		}, "", weir.TesterLimited, 0},
		{"an arm whose search often finds no number", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[2] && r.Run.Replicate%4 == 1 {
				r.Value = 0
				r.Warnings = append(r.Warnings, madeUp(weir.SearchLimit))
			}
		}, weir.SearchLimit, stats.BlocksLeftOut, -1},
		{"an arm that now and then forwards nothing", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[2] && r.Run.Replicate%6 == 1 {
				r.Value = 0
			}
		}, weir.NothingForwarded, stats.BlocksLeftOut, -1},
		{"an arm that disturbs itself", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[2] && r.Run.Replicate%4 == 1 {
				r.Machine = &weir.Machine{Busy: 0.3}
				r.Warnings = append(r.Warnings, madeUp(weir.BusyMachine))
			}
		}, "", Disturbed, -1},
		{"a medium at its limit", false, func(r *weir.Result, _ int) {
			r.Warnings = append(r.Warnings, madeUp(weir.SearchLimit))
			r.Figures = append(r.Figures, weir.Figure{Name: claim.TheoreticalMaximum, Value: r.Value, Unit: "frames/s"})
		}, MediumFull, "", 0},
		{"one search that had not ended", false, func(r *weir.Result, _ int) {
			if once(r) {
				r.Verdict = claim.NotEnded
			}
		}, "", stats.BlocksLeftOut, 1},
		{"a little steal time everywhere", false, func(r *weir.Result, _ int) {
			r.Warnings = append(r.Warnings, madeUp(weir.StealTime))
			r.Machine = &weir.Machine{Stolen: 0.02, Busy: 0.01}
		}, "", "", 0},
		{"much steal time once", false, func(r *weir.Result, _ int) {
			if once(r) {
				r.Machine = &weir.Machine{Stolen: 0.2}
				r.Warnings = append(r.Warnings, madeUp(weir.StealTime))
			}
		}, "", stats.BlocksLeftOut, 1},
		{"a few frames that the receiver dropped", false, func(r *weir.Result, _ int) {
			r.Warnings = append(r.Warnings, madeUp(weir.ReceiverSaturated))
			r.Ledger = weir.Ledger{Received: 1e6, Drops: []weir.Drop{{Place: "tester port 1 receive ring full", Count: 100, Kind: weir.DropTester}}}
		}, "", "", 0},
		{"many frames that the receiver dropped", false, func(r *weir.Result, _ int) {
			r.Warnings = append(r.Warnings, madeUp(weir.ReceiverSaturated))
			r.Ledger = weir.Ledger{Received: 1e6, Drops: []weir.Drop{{Place: "tester port 1 receive ring full", Count: 1e5, Kind: weir.DropTester}}}
		}, weir.ReceiverSaturated, "", 0},
		{"a loop", false, func(r *weir.Result, _ int) {
			if once(r) {
				r.Warnings = append(r.Warnings, madeUp(weir.NegativeLoss))
			}
		}, "", "", 0}, // only the comparison of that block is vetoed: below
		{"an A/A that differs", false, func(r *weir.Result, _ int) {
			if r.Run.Again {
				r.Value *= 1.1
			}
		}, stats.BaselineDiffers, "", 0},
		{"an arm that forwards nothing", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[2] {
				r.Value = 0
			}
		}, "", TooFewRuns, 0},
		{"a baseline that forwards nothing", false, func(r *weir.Result, _ int) {
			if r.Run.Arm == arms[0] {
				r.Value = 0
			}
		}, TooFewRuns, "", 24},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model{seed: 3, replicates: 12, effects: []float64{0, math.Log(0.95), math.Log(0.8)}, noise: 0.01, same: true, unblocked: c.unblocked, change: c.change}
			p, err := Of(m.campaign())
			if err != nil {
				t.Fatal(err)
			}
			left, warned := 0, c.warning == ""
			for _, x := range values(p) {
				left += x.LeftOut
				if got := has(x.Vetoes, c.veto); c.veto != "" && !got || c.veto == "" && len(x.Vetoes) > 0 && c.name != "a loop" {
					t.Errorf("%s: vetoes %v, want %q", title(x), x.Vetoes, c.veto)
				}
				warned = warned || has(x.Warnings, c.warning)
				for _, e := range x.Effects {
					if (e.Verdict == stats.Vetoed) != (len(x.Vetoes) > 0) {
						t.Errorf("%s: %s is %s, with the vetoes %v", title(x), e.Arm, e.Verdict, x.Vetoes)
					}
				}
			}
			if !warned {
				t.Errorf("no warning %q", c.warning)
			}
			if c.left >= 0 && left != c.left {
				t.Errorf("%d blocks are left out, want %d", left, c.left)
			}
			if c.name == "a loop" {
				vetoed := slices.DeleteFunc(values(p), func(x Comparison) bool { return !has(x.Vetoes, weir.NegativeLoss) })
				if len(vetoed) != 1 {
					t.Errorf("%d comparisons are vetoed, want the one with the loop", len(vetoed))
				}
			}
		})
	}
}

// TestDoubtsAreSaid: a run that does not count says why, and so do its
// neighbours in the block.
func TestDoubtsAreSaid(t *testing.T) {
	m := model{seed: 3, replicates: 8, effects: []float64{0, 0.1}, noise: 0.01, sizes: []int{64}, change: func(r *weir.Result, _ int) {
		if r.Run.Number == 5 {
			r.Warnings = append(r.Warnings, madeUp(weir.BusyMachine))
		}
	}}
	p, err := Of(m.campaign())
	if err != nil {
		t.Fatal(err)
	}
	said := map[int]string{}
	for _, s := range values(p)[0].Runs {
		if s.Doubt != "" {
			said[s.Run.Number] = s.Doubt
		}
	}
	want := map[int]string{5: "the machine was busy with something else", 6: "run 5 of its block is in doubt: the machine was busy with something else"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}

// A limit that is the same in all blocks chooses none: neither where A is at it always and B in its best
// blocks, nor where both are there in theirs.
func TestLimitChoosesNothing(t *testing.T) {
	for name, limit := range map[string]float64{"A is above it": .97, "both are there at their best": 1.0} {
		for seed := range uint64(40) {
			m := model{seed: seed, replicates: 12, effects: []float64{0, math.Log(.93)}, noise: 0.04, same: true, sizes: []int{64}}
			c := m.campaign()
			base := c.Results[0].Value
			for i := range c.Results {
				if r := &c.Results[i]; r.Value > limit*base {
					atLimit(r, limit*base/r.Value)
				}
			}
			p, err := Of(c)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range values(p)[0].Runs {
				if s.Doubt == allAtLeast {
					t.Fatalf("%s, seed %d: block %d is left out", name, seed, s.Run.Block)
				}
			}
		}
	}
}

// A baseline that was disturbed in as many of its runs as the others does not disturb itself, for all that
// it has twice as many.
func TestDisturbedAlike(t *testing.T) {
	m := model{seed: 3, replicates: 12, effects: []float64{0, 0}, noise: 0.01, same: true, change: func(r *weir.Result, _ int) {
		if r.Run.Block%2 == 0 {
			r.Machine = &weir.Machine{Busy: 0.3}
			r.Warnings = append(r.Warnings, madeUp(weir.BusyMachine))
		}
	}}
	p, err := Of(m.campaign())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range values(p) {
		if has(c.Warnings, Disturbed) {
			t.Errorf("%s: %v", title(c), c.Warnings)
		}
	}
}

// TestWavesAreNoDisturbance: what a shared machine does by itself is seldom
// taken for something that lay on it.
func TestWavesAreNoDisturbance(t *testing.T) {
	vetoed := 0
	for seed := range uint64(300) {
		p, err := Of(model{seed: seed, replicates: 12, effects: []float64{0, 0, 0.1}, noise: 0.04, waves: 0.124, sizes: []int{64}}.campaign())
		if err != nil {
			t.Fatal(err)
		}
		if has(values(p)[0].Vetoes, Disturbed) {
			vetoed++
		}
	}
	if vetoed > 3 {
		t.Errorf("%d of 300 campaigns in waves were vetoed as disturbed, want 3 at most", vetoed)
	}
}

func TestOfRefuses(t *testing.T) {
	few := model{seed: 1, replicates: 2, effects: []float64{0, 0.1}, noise: 0.01, sizes: []int{64}}.campaign()
	p, err := Of(few)
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Comparisons[0]; !has(c.Vetoes, TooFewRuns) || !strings.Contains(c.Vetoes[0].Text, "firewall none has 2 runs") || !c.Doubted || len(c.Arms) != 2 || c.Arms[0].N != 2 || len(c.Effects) > 0 {
		t.Errorf("two runs: %+v", c.Comparison)
	}
	for name, c := range map[string]weir.Campaign{
		"no results": {},
		"no runs":    {Results: []weir.Result{{Method: "throughput", Value: 1}}},
		"one arm":    {Results: []weir.Result{{Run: weir.Run{Number: 1, Arm: "plain"}, Value: 1}, {Run: weir.Run{Number: 2, Arm: "plain"}, Value: 1}}},
	} {
		if _, err := Of(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestGoalsAreApart: two goals of one search, and the same method twice in a
// run, are comparisons of their own; a loss that was found is no goal.
func TestGoalsAreApart(t *testing.T) {
	c := model{seed: 1, replicates: 4, effects: []float64{0, 0.1}, noise: 0.01, sizes: []int{64}}.campaign()
	var more []weir.Result
	for i, r := range c.Results {
		r.CPUPerFrame = 0
		loose := r
		loose.LossRatio = 0.005
		frmol := r
		frmol.Method, frmol.Width, frmol.LossRatio = "frmol", 0, float64(i)/1000
		more = append(more, r, loose, frmol, frmol)
	}
	c.Results = more
	p, err := Of(c)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, c := range p.Comparisons {
		titles = append(titles, title(c))
		if len(c.Runs) != 8 {
			t.Errorf("%s has %d runs", title(c), len(c.Runs))
		}
	}
	if diff := cmp.Diff([]string{"throughput 64  0", "throughput 64  0.005", "frmol 64  0", "frmol 64  0"}, titles); diff != "" {
		t.Error(diff)
	}
}
