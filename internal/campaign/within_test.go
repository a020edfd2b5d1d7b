package campaign

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/claim"
)

// A search whose time is over has the bounds that it has found until then, in
// its result and in its warning, also where the machine is disturbed all the time.
func TestSearchesOutOfTimeHaveTheirBounds(t *testing.T) {
	const cut = `testbed: {kind: sim}
traffic: {sizes: [64]}
methods:
  - frmol
  - {method: throughput, loss: 1%, width: 0.1%, trial: 1s, within: 8s}
  - {method: mlrsearch, within: 3s, goals: [{final: 1s, sum: 1s, loss: 1%, width: 0.01%}]}
`
	for name, lab := range map[string]Lab{"quiet": simulated(t), "disturbed": disturbed(simulated(t), 1)} {
		c, err := Run(t.Context(), parsed(t, cut), lab, &memory{}, nil)
		if err != nil || len(c.Results) != 3 {
			t.Fatalf("%s: %d results, %v", name, len(c.Results), err)
		}
		for _, r := range c.Results[1:] {
			if r.Verdict != claim.NotEnded || !(0 < r.Lower && r.Lower < r.Upper) || r.Value == 0 || r.Value > r.Lower {
				t.Errorf("%s: %s ends %q with %v from %v to %v", name, r.Method, r.Verdict, r.Value, r.Lower, r.Upper)
			}
			said := ""
			for _, w := range r.Warnings {
				if w.Code == weir.SearchLimit {
					said = w.Text
				}
			}
			if !strings.Contains(said, "was cut short after") {
				t.Errorf("%s: %s says %q", name, r.Method, said)
			}
			again := 0
			for _, trial := range c.Trials {
				if trial.Attempts > 1 && r.First <= trial.Trial.Number && trial.Trial.Number <= r.Last {
					again++
				}
			}
			if 4*again > max(r.Trials, 4) {
				t.Errorf("%s: %d of %d trials of %s were second attempts", name, again, r.Trials, r.Method)
			}
		}
	}
}
