package report

import (
	"fmt"
	"io"
	"strings"

	"weir"
	"weir/internal/figures"
	"weir/internal/result"
)

// bencherMetric is one of the Bencher Metric Format.
type bencherMetric struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

// writeBencher writes results in the Bencher Metric Format, in base units: a
// benchmark for each, the runs of an arm as one, with the bounds of its value.
func writeBencher(w io.Writer, c weir.Campaign, _ Options) error {
	out := map[string]map[string]bencherMetric{}
	for _, r := range foundBy(c) {
		one := map[string]bencherMetric{}
		for _, metric := range result.Kept(result.History) {
			v, known := metric.Of(r.Result)
			if !known {
				continue
			}
			m := bencherMetric{Value: v.Value}
			if v.Interval() && v.Lower <= v.Value { // those of loads are none of a rate
				m.Lower, m.Upper = &v.Lower, &v.Upper
			}
			one[measureName(metric, r.Unit)] = m
		}
		if len(one) > 0 {
			out[r.name] = one
		}
	}
	return writeIndented(w, out)
}

// measureName returns what Bencher calls a metric of a result with a unit.
func measureName(m result.Metric, unit string) string {
	if m.Unit == result.OfResult {
		return slug(unit)
	}
	return m.Name()
}

// slug is a unit as a part of a name: "frames-per-s", and "loss-ratio" where a value
// has none.
func slug(unit string) string {
	if unit == "" {
		return "loss-ratio"
	}
	return strings.ReplaceAll(strings.ReplaceAll(unit, "/", "-per-"), " ", "-")
}

// A namedResult is a result, or that of all runs of an arm, with a name that no other
// of its campaign has.
type namedResult struct {
	*weir.Result
	name, label string
}

// foundBy are the results of a campaign by their names, in the order of its rows.
func foundBy(c weir.Campaign) (out []namedResult) {
	used := map[string]int{}
	for _, w := range viewOf(c).All.Rows {
		for _, r := range w.Results {
			name := figures.Sought(*r)
			if w.Label != "" {
				name += ", " + w.Label
			}
			if r.Simulated {
				name = "SIMULATED " + name
			}
			if used[name]++; used[name] > 1 {
				name = fmt.Sprintf("%s (%d)", name, used[name])
			}
			out = append(out, namedResult{r, name, w.Label})
		}
	}
	return out
}
