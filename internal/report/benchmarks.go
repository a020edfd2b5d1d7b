package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/figures"
	"weir/internal/result"
)

// writeBenchfmt writes the Go benchmark format: "key: value" lines for the
// environment, then a line for each result, which counts as one sample.
func writeBenchfmt(w io.Writer, c weir.Campaign, _ Options) error {
	c = figures.Printable(c) // the format is one of lines
	var b bytes.Buffer
	m := c.Manifest
	// benchstat compares only what has the same keys, so what differs between
	// any two campaigns is a remark.
	fmt.Fprintf(&b, "# campaign %s, started %s\n", strings.Join(strings.Fields(c.ID), " "), m.Started.UTC().Format(time.RFC3339))
	for _, s := range [][2]string{
		{"weir", m.Weir}, {"kernel", m.Kernel}, {"cpu", m.CPUModel},
		{"cpus", known(m.CPUs)}, {"testbed", m.Testbed}, {"platform", m.Platform}, {"tester", m.Backend},
		{"simulated", fmt.Sprint(figures.Simulated(c))},
	} {
		if s[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", s[0], strings.Join(strings.Fields(s[1]), " "))
		}
	}
	b.WriteString("Unit frames/s better=higher\n")
	for _, unit := range figures.TransferUnits {
		if slices.ContainsFunc(c.Results, func(r weir.Result) bool { return r.Unit == unit && r.Unmeasured == "" }) {
			fmt.Fprintf(&b, "Unit %s better=higher\n", unit)
		}
	}
	b.WriteByte('\n')
	for _, r := range c.Results {
		figures.BenchLine(&b, c, r)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// known is a number of things; "" when it is 0, which means unknown.
func known(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

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
