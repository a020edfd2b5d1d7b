package report

import (
	"fmt"

	"weir"
	"weir/internal/figures"
)

// warned are the warnings of an experiment's results in a line each. Which runs
// these cost stands among those that are left out; here is what was noticed.
func (v view) warned(c weir.Campaign) []string {
	var out []string
	_, c = apart(c)
	for _, d := range figures.Doubts(v.Grid) {
		n := 0
		for _, r := range c.Results {
			if weir.HasWarning(r.Warnings, d.Code) {
				n++
			}
		}
		line := fmt.Sprintf("%s in %s of %s %s: %s", d.Code, figures.Number(float64(n), 0), figures.Number(float64(len(c.Results)), 0), figures.Plural(len(c.Results), "result"), d.Told[0].Text())
		if more := len(d.Told) - 1 + d.More; more > 0 {
			line += fmt.Sprintf("; %d more %s of it", more, figures.Plural(more, "kind"))
		}
		out = append(out, line)
	}
	return out
}

// ofTrials is what the lines of warned are called.
const ofTrials = "warnings of trials; what they cost is under left out"
