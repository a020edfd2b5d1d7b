package proof

import (
	"testing"

	"weir"
	"weir/internal/claim"
	"weir/stats"
)

// Where windows of twice the length show more of an arm, in all builds, it is told.
func TestLongerWindows(t *testing.T) {
	for more, want := range map[float64]bool{1: false, 1.002: false, 1.02: true, .98: true} {
		m := model{seed: 9, replicates: 6, effects: []float64{0, -0.08}, noise: 0.003, same: true, sizes: []int{64}}
		m.change = func(r *weir.Result, _ int) {
			v := 1 + .0001*float64(r.Run.Block)
			if r.Run.Arm == arms[1] {
				v *= more
			}
			r.Figures = append(r.Figures, weir.Figure{Name: claim.InLongerWindows, Value: v})
		}
		made := m.campaign()
		made.Manifest.Experiment.Schedule = weir.Abreast
		p, err := Of(made)
		if err != nil {
			t.Fatal(err)
		}
		if got := values(p)[0]; has(got.Warnings, weir.ShortWindows) != want {
			t.Errorf("%v times: %v", more, got.Warnings)
		}
	}
}

// Of arms side by side, what lay on the machine lay on all of them; a build that the
// tester was the limit of does not count, and where most are nothing is proven.
func TestSideBySide(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(r *weir.Result)
		want   stats.Verdict
		left   int
	}{
		{"plain", func(*weir.Result) {}, stats.Proven, 0},
		{"others took the CPU", func(r *weir.Result) {
			r.Machine = &weir.Machine{Busy: .3, Stolen: .2}
			r.Warnings = []weir.Warning{madeUp(weir.BusyMachine), madeUp(weir.StealTime)}
		}, stats.Proven, 0},
		{"a third of the time the machine is half as fast", func(r *weir.Result) {
			if r.Run.Block <= 2 {
				r.Value /= 2
			}
		}, stats.Proven, 0},
		{"the tester was the limit once", func(r *weir.Result) {
			if r.Run.Block == 2 && r.Run.Arm == arms[1] {
				r.Warnings = []weir.Warning{madeUp(weir.TesterLimited)}
			}
		}, stats.Proven, 1},
		{"the tester was always the limit", func(r *weir.Result) {
			if r.Run.Arm == arms[1] {
				r.Warnings = []weir.Warning{madeUp(weir.TesterLimited)}
			}
		}, stats.Vetoed, 6},
		{"the receiver dropped a thirtieth, always", func(r *weir.Result) {
			r.Ledger.Received = 1000
			r.Ledger.Drops = []weir.Drop{{Place: "tester port 1", Count: 30, Kind: weir.DropTester}}
		}, stats.Proven, 0},
		{"the receiver dropped a fifth, once", func(r *weir.Result) {
			r.Ledger.Received = 1000
			if r.Run.Block == 3 && r.Run.Arm == arms[1] {
				r.Ledger.Drops = []weir.Drop{{Place: "tester port 1", Count: 200, Kind: weir.DropTester}}
			}
		}, stats.Proven, 0},
		{"the receiver cut the slower arm, which may be as fast", func(r *weir.Result) {
			r.Ledger.Received = 1000
			if r.Run.Arm == arms[1] {
				r.Ledger.Drops = []weir.Drop{{Place: "tester port 1", Count: 90, Kind: weir.DropTester}}
			}
		}, stats.Inconclusive, 0},
		{"the receiver cut the faster arm", func(r *weir.Result) {
			r.Ledger.Received = 1000
			if r.Run.Arm == arms[0] {
				r.Ledger.Drops = []weir.Drop{{Place: "tester port 1", Count: 90, Kind: weir.DropTester}}
			}
		}, stats.Proven, 0},
		{"windows were left out twice of one arm", func(r *weir.Result) {
			if r.Run.Block <= 1 && r.Run.Arm == arms[1] {
				r.Value, r.Warnings = 0, []weir.Warning{madeUp(weir.BusyMachine)}
			}
		}, stats.Proven, 1},
	} {
		m := model{seed: 9, replicates: 6, effects: []float64{0, -0.08}, noise: 0.003, same: true, sizes: []int{64}}
		m.change = func(r *weir.Result, _ int) { c.change(r) }
		made := m.campaign()
		made.Manifest.Experiment.Schedule = weir.Abreast
		p, err := Of(made)
		if err != nil {
			t.Fatal(err)
		}
		got := values(p)[0]
		verdict := stats.Vetoed
		if len(got.Effects) > 0 {
			verdict = got.Effects[0].Verdict
		}
		if verdict != c.want || len(got.Effects) > 0 && got.LeftOut != c.left {
			t.Errorf("%s: %s, %d left out, vetoes %v; want %s, %d", c.name, verdict, got.LeftOut, got.Vetoes, c.want, c.left)
		}
	}
}

// What the tester could send no more of is known at least: it counts in each build, and
// has a verdict where that is more than the other forwards, or the other less than it.
func TestAtLeastSideBySide(t *testing.T) {
	limited := func(all bool, which ...string) func(r *weir.Result, of int) {
		return func(r *weir.Result, _ int) {
			for _, arm := range which {
				if r.Run.Arm == arm && (all || r.Run.Block%2 == 0) {
					r.Claim.Name += ", at least"
					r.Warnings = []weir.Warning{madeUp(weir.TesterLimited)}
				}
			}
		}
	}
	for _, c := range []struct {
		name            string
		effect          float64
		change          func(r *weir.Result, of int)
		want            stats.Verdict
		atLeast, atMost bool
	}{
		{"a faster arm in each build", .3, limited(true, arms[1]), stats.Proven, true, false},
		{"a faster arm in some builds", .3, limited(false, arms[1]), stats.Proven, true, false},
		{"a faster baseline", -.3, limited(true, arms[0]), stats.Proven, false, true},
		{"an arm that seems slower", -.3, limited(true, arms[1]), stats.Vetoed, true, false},
		{"a baseline that seems slower", .3, limited(true, arms[0]), stats.Vetoed, false, true},
		{"both", .3, limited(true, arms[0], arms[1]), stats.Vetoed, true, true},
	} {
		m := model{seed: 9, replicates: 6, effects: []float64{0, c.effect}, noise: .003, same: true, sizes: []int{64}, change: c.change}
		made := m.campaign()
		made.Manifest.Experiment.Schedule = weir.Abreast
		p, err := Of(made)
		if err != nil {
			t.Fatal(err)
		}
		got := values(p)[0]
		if len(got.Effects) != 1 || got.LeftOut != 0 {
			t.Fatalf("%s: %+v", c.name, got.Comparison)
		}
		if e := got.Effects[0]; e.Verdict != c.want || e.AtLeast != c.atLeast || e.AtMost != c.atMost || !has(append(got.Warnings, got.Vetoes...), weir.TesterLimited) {
			t.Errorf("%s: %+v, vetoes %v, warnings %v", c.name, e, got.Vetoes, got.Warnings)
		}
	}
}
