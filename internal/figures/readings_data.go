package figures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// A resultReading is what the DUT's machine said of itself beside a result, for
// programs: the mean over the trials that decided it, in base units.
type resultReading struct {
	Source   string  `json:"source"`
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	PerFrame bool    `json:"per_frame"` // for each frame that was forwarded
}

// String is "source: name=value unit/frame".
func (r resultReading) String() string {
	unit := r.Unit
	if r.PerFrame {
		unit += "/frame"
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s=%s %s", r.Source, r.Name, Exact(r.Value), unit))
}

// ResultReadings are those of each result of a campaign: first what differs most
// between the results.
func ResultReadings(c weir.Campaign) [][]resultReading {
	out, groups := make([][]resultReading, len(c.Results)), make([]string, len(c.Results))
	if !slices.ContainsFunc(c.Trials, func(t weir.TrialResult) bool { return len(t.Readings) > 0 }) {
		return out
	}
	trials := make(map[string][]weir.TrialResult)
	for i := range c.Results {
		groups[i] = strconv.Itoa(i)
		if list := Readable(c, &c.Results[i]); len(list) > 0 {
			trials[groups[i]] = list
		}
	}
	for _, g := range differing(groups, trials) {
		for i, group := range groups {
			if values := g.values[group]; len(values) > 0 && !slices.ContainsFunc(values, func(v float64) bool { return !Finite(v) }) {
				mean, _ := meanOf(values)
				out[i] = append(out[i], resultReading{g.source, g.name, mean, g.unit, g.perFrame})
			}
		}
	}
	return out
}
