package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/document"
)

const (
	// maxReadings is the most readings that are shown.
	maxReadings = 14
	// MaxReadRows is how many rows a table of readings has at most, in columns.
	MaxReadRows = 6
	// tellingScore is how many standard errors two arms must differ for a
	// reading to be shown, where there are several runs of each.
	tellingScore = 3
)

// A gauge is one reading at all arms: a value for each trial.
type gauge struct {
	source, name, unit string
	perFrame           bool
	values             map[string][]float64 // by arm
	distance           float64              // how much the arms differ
}

// Readable are the trials behind a result that have readings of a DUT that was not
// slowed down.
func Readable(c weir.Campaign, r *weir.Result) []weir.TrialResult {
	return slices.DeleteFunc(deciding(c, r), func(t weir.TrialResult) bool { return t.Trial.Profile || len(t.Readings) == 0 })
}

// ReadingsOf is a table of trials by group: what differs between the groups first,
// by how much it does; where there is one group, all.
func ReadingsOf(groups, heads []string, trials map[string][]weir.TrialResult) document.Table {
	list := slices.DeleteFunc(differing(groups, trials), func(g gauge) bool { return g.distance == 0 && len(groups) > 1 })
	var t document.Table
	for _, h := range slices.Concat([]string{"reading"}, heads, []string{"unit"}) {
		t.Columns = append(t.Columns, document.Heading{Head: h})
	}
	for _, v := range list[:min(len(list), maxReadings)] {
		t.Rows = append(t.Rows, document.Cells(v.row(groups)...))
	}
	return t
}

// differing are the readings of trials by group, those first that differ most between
// the groups.
func differing(groups []string, trials map[string][]weir.TrialResult) []gauge {
	list := gauges(trials)
	for i := range list {
		list[i].distance = list[i].spread(groups)
	}
	slices.SortStableFunc(list, func(a, b gauge) int { return cmp.Compare(b.distance, a.distance) })
	return list
}

// gauges are the readings of trials. What grows with the work is taken for each
// frame that was forwarded, a level is taken as it is.
func gauges(trials map[string][]weir.TrialResult) []gauge {
	at := make(map[[3]string]int)
	var out []gauge
	for arm, list := range trials {
		for _, t := range list {
			readings := t.Readings
			if per := t.FramesPerJoule(); per > 0 {
				readings = append(slices.Clone(readings), weir.Reading{Source: "energy", Name: "frames per joule", Value: per, Unit: perJoule})
			}
			for _, r := range readings {
				key := [3]string{r.Source, r.Name, r.Unit}
				i, there := at[key]
				if !there {
					i = len(out)
					at[key] = i
					out = append(out, gauge{source: r.Source, name: r.Name, unit: r.Unit, perFrame: grows[r.Unit] && !levelSources[r.Source], values: make(map[string][]float64)})
				}
				v := r.Value
				if out[i].perFrame {
					if t.Received == 0 {
						continue
					}
					v /= float64(t.Received)
				}
				out[i].values[arm] = append(out[i].values[arm], v)
			}
		}
	}
	slices.SortFunc(out, func(a, b gauge) int { return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.name, b.name)) })
	return out
}

// grows are the units of what grows with the number of frames.
var grows = map[string]bool{"s": true, "count": true, "octets": true, "J": true}

// levelSources are the sources of levels, whatever their unit.
var levelSources = map[string]bool{"memory": true}

// perJoule is the unit of frames that were forwarded for each joule.
const perJoule = "frames/J"

// spread is how much the arms differ, relative to the largest; 0 where that
// may be chance, or a reading is not there at all arms.
func (g gauge) spread(groups []string) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	var atLow, atHigh string
	for _, arm := range groups {
		if len(g.values[arm]) == 0 {
			continue
		}
		m, _ := meanOf(g.values[arm])
		if m < low {
			low, atLow = m, arm
		}
		if m > high {
			high, atHigh = m, arm
		}
	}
	largest := max(math.Abs(low), math.Abs(high))
	if atLow == atHigh || largest == 0 {
		return 0
	}
	_, a := meanOf(g.values[atLow])
	_, b := meanOf(g.values[atHigh])
	if e := math.Hypot(a, b); high-low < tellingScore*e {
		return 0
	}
	return (high - low) / largest
}

// meanOf is the mean of values with its standard error.
func meanOf(values []float64) (mean, err float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	if len(values) < 2 {
		return mean, 0
	}
	squares := 0.
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / float64(len(values)-1) / float64(len(values)))
}

// row is the line of a reading: its means at the arms, in a unit that suits the
// largest.
func (g gauge) row(arms []string) []string {
	largest := 0.
	for _, arm := range arms {
		m, _ := meanOf(g.values[arm])
		largest = max(largest, math.Abs(m))
	}
	factor, unit := g.scale(largest)
	out := []string{g.source + ": " + g.name}
	for _, arm := range arms {
		if len(g.values[arm]) == 0 {
			out = append(out, Missing)
			continue
		}
		m, _ := meanOf(g.values[arm])
		out = append(out, Significant(m*factor))
	}
	return append(out, unit)
}

// scale is a factor and the unit that goes with it.
func (g gauge) scale(largest float64) (float64, string) {
	names := map[string]string{"s": "s", "J": "J", "octets": "octets", "count": "", "Hz": "Hz", "C": "°C", "": ""}
	name, there := names[g.unit]
	if !there {
		name = g.unit
	}
	switch {
	case g.perFrame && (g.unit == "s" || g.unit == "J"):
		return 1e9, "n" + name + " per frame"
	case g.perFrame && largest < .1:
		return 1e6, unitOf("per M frames", name)
	case g.perFrame:
		return 1, unitOf("per frame", name)
	case g.unit == "octets" && largest >= 1e6:
		return 1e-6, "MB"
	case g.unit == "Hz" && largest >= 1e6:
		return 1e-6, "MHz"
	}
	return 1, name
}

func unitOf(per, name string) string {
	if name == "" {
		return per
	}
	return name + " " + per
}

// A resultReading is a reading of the DUT's machine for a result, for
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
