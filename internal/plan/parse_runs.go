package plan

import (
	"math"

	"weir"
	"weir/internal/schema"
)

// The defaults and bounds of the runs of an experiment.
const (
	fewestRuns       = 3 // of which a spread can be told
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
		Factors: []weir.Factor{}, Seed: 1, Reset: weir.Reapply, Same: true, Confidence: confidence,
	}}
	number, before := schema.Within(schema.Count, 0, mostRuns), len(r.mistakes)
	count := scalarField("count", &e.Runs, number)
	switch n.kind {
	case empty:
	case scalar:
		count.read(r, n)
	default:
		r.object(n, "runs", count,
			scalarField("detect", &e.Detect, parseChange),
			scalarField("equivalent", &e.Margin, parseChange),
			scalarField("pilot", &e.Pilot, schema.Within(schema.Count, fewestRuns, mostRuns)),
			scalarField("most", &e.Most, schema.Within(schema.Count, fewestRuns, mostRuns)),
			oneOf("order", &e.Schedule, weir.Blocks, weir.ABBA, weir.Abreast),
			scalarField("seed", &e.Seed, schema.Uint64),
			oneOf("reset", &e.Reset, weir.NoReset, weir.Reapply, weir.Rebuild, weir.Reboot, weir.Power),
			scalarField("same", &e.Same, schema.Bool),
			scalarField("reference", &e.refers, schema.Bool),
			scalarField("confidence", &e.Confidence, parseConfidence))
	}
	at := n
	if c, ok := n.find("count"); ok {
		at = c
	}
	said := n.kind == scalar || at.line != n.line || at.column != n.column
	switch {
	case len(r.mistakes) > before:
	case said && e.Runs < fewestRuns:
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

// Even is n, or the next even number.
func Even(n int) int { return n + n%2 }

// parseChange is schema.Percent for a change that is to be seen.
func parseChange(s string) (float64, error) { return schema.Within(schema.Percent, 1e-4, 1)(s) }

// parseConfidence is schema.Percent for a confidence.
func parseConfidence(s string) (float64, error) {
	v, err := schema.Within(schema.Percent, 0.5, 0.999)(s)
	return math.Round(v*1e6) / 1e6, err
}
