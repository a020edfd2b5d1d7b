package plan

import (
	"math"

	"weir"
	"weir/internal/schema"
)

// Experiment is how often, and in which order, the levels of a plan are
// measured.
type Experiment struct {
	weir.Experiment
	Pilot int // replicates from which it is seen how many it takes; 0: their number is known
	Most  int // replicates at most, where their number is not known

	refers bool // whether there is to be an arm of plain forwarding
}

// The defaults and bounds of the runs of an experiment.
const (
	fewestRuns       = 3 // of which a spread can be known
	usualRuns        = 6
	mostRuns         = 10_000
	usualPilot       = 5
	usualMost        = 40
	mostCombinations = 256
	confidence       = 0.95
)

// runs reads how often everything is measured, and in which order: a number, or
// an object.
func (r *reader) runs(n node) *Experiment {
	e := &Experiment{Experiment: weir.Experiment{
		Factors: []weir.Factor{}, Levels: map[string][]weir.ArmLevel{}, Seed: 1, Reset: weir.Reapply, Same: true, Confidence: confidence,
	}}
	before := len(r.mistakes)
	fields := runsFields(e)
	switch n.kind {
	case empty:
	case scalar:
		fields[0].read(r, n)
	default:
		r.object(n, "runs", fields...)
	}
	at := n
	if c, ok := n.find("count"); ok {
		at = c
	}
	given := n.kind == scalar || at.line != n.line || at.column != n.column
	switch {
	case len(r.mistakes) > before:
	case given && e.Runs < fewestRuns:
		r.wrong(at, "%d runs say nothing of how much runs differ: give %d at least", e.Runs, fewestRuns)
	case e.Runs > 0 && (e.Pilot > 0 || e.Most > 0):
		r.wrong(at, "the number of runs is fixed, so there is no pilot and no limit: leave count out, or pilot and most")
	case e.Runs == 0 && e.Detect == 0 && (e.Pilot > 0 || e.Most > 0):
		r.wrong(n, "a pilot tells how many runs it takes to see a change: of which size? detect: 1%%, say")
	case e.Runs == 0 && e.Detect == 0:
		e.Runs = usualRuns
	case e.Runs == 0:
		if e.Pilot == 0 {
			e.Pilot = usualPilot
		}
		if e.Most == 0 {
			e.Most = max(usualMost, e.Pilot)
		}
		if e.Most < e.Pilot {
			r.wrong(n, "most is below the pilot's %d runs", e.Pilot)
		}
	}
	return e
}

// runsFields are the fields of runs, their number first.
func runsFields(e *Experiment) []field {
	fewest, count := schema.Within(schema.Count, fewestRuns, mostRuns), scalarField("count", &e.Runs, schema.Within(schema.Count, 0, mostRuns))
	count.shape = func() schema.Shape { return fewest.Shape } // runs says itself why fewer are none
	return []field{
		count.means("replicates, at least 3", "6, or by `detect`"),
		scalarField("detect", &e.Detect, change).means("the smallest change that matters: a pilot tells how many replicates it takes to see one of that size in four of five campaigns", "none"),
		scalarField("equivalent", &e.Margin, change).means("changes below it make no difference; then \"equivalent\" can be proven, too", "none"),
		scalarField("pilot", &e.Pilot, fewest).means("replicates of the pilot", "5"),
		scalarField("most", &e.Most, fewest).means("replicates at most", "40"),
		oneOf("order", &e.Schedule, weir.Blocks, weir.ABBA, weir.Abreast).
			means("`windows`: the arms of a block [side by side](experiments.md#side-by-side). `blocks`: randomised complete blocks. `abba`: the same, with each block made once more backwards", "`windows` where the arms can stand side by side, `abba` where levels are [set by hand](ports.md#settings-of-the-box), else `blocks`"),
		scalarField("seed", &e.Seed, schema.Uint64).means("of the order", "1"),
		oneOf("reset", &e.Reset, weir.NoReset, weir.Reapply, weir.Rebuild, weir.Reboot, weir.Power).
			means("of the DUT between runs: `none` where two runs have the same arm, `reapply` (levels are undone and set anew), `rebuild` (the testbed is taken down and set up anew), `reboot` and `power` ([labs.md](labs.md#a-dut-that-starts-anew): the DUT is started anew, and forwards before its levels are set)", "`reapply`; `rebuild` with order `windows`"),
		scalarField("same", &e.Same, schema.Bool).means("whether the baseline is measured twice in each block (A/A)", "`yes`"),
		scalarField("reference", &e.refers, schema.Bool).
			means("of arms side by side: whether plain forwarding stands beside them, as an arm of its own unless the baseline is that. Rates in terms of it can be compared between days (`weir compare A B`)", "`no`"),
		scalarField("confidence", &e.Confidence, confidenceLevel).means("of intervals and verdicts", "95%"),
	}
}

// runsShape describes runs.
func runsShape() schema.Shape {
	fields := runsFields(&Experiment{})
	return schema.Either(fields[0].shape(), objectOf("runs", fields...))
}

// Even is n, or the next even number.
func Even(n int) int { return n + n%2 }

// change is one that is to be seen.
var change = schema.Within(schema.Percent, 1e-4, 1)

// confidenceLevel is that of intervals and verdicts.
var confidenceLevel = schema.Custom(schema.Percentage, func(s string) (float64, error) {
	v, err := schema.Within(schema.Percent, 0.5, 0.999).Read(s)
	return math.Round(v*1e6) / 1e6, err
})
