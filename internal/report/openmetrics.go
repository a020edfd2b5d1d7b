package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/figures"
	"weir/internal/result"
)

// writeOpenMetrics writes results as gauges in the text format of OpenMetrics, in
// base units, with the levels of the factors as labels.
func writeOpenMetrics(w io.Writer, c weir.Campaign, _ Options) error {
	return WriteMetrics(w, []weir.Campaign{c})
}

// WriteMetrics writes results of campaigns as gauges: a family has those of all.
func WriteMetrics(w io.Writer, all []weir.Campaign) error {
	var b bytes.Buffer
	var results []namedResult
	labels := map[*weir.Result]string{}
	for _, c := range all {
		for _, r := range foundBy(lastRound(c)) {
			results, labels[r.Result] = append(results, r), metricLabels(c, r)
		}
	}
	family := func(name, help string, of func(r namedResult) (float64, bool)) {
		fmt.Fprintf(&b, "# TYPE weir_%s gauge\n# HELP weir_%s %s\n", name, name, help)
		for _, r := range results {
			if v, known := of(r); known {
				fmt.Fprintf(&b, "weir_%s%s %s\n", name, labels[r.Result], figures.Exact(v))
			}
		}
	}
	for _, m := range result.Kept(result.Gauge) {
		name := m.ID
		switch {
		case m.Group == result.Clocks && !slices.ContainsFunc(results, func(r namedResult) bool { _, known := m.Of(r.Result); return known }):
			continue
		case m.Unit == result.OfResult:
			name = "result"
		case m.Unit == "s":
			name += "_seconds"
		}
		family(name, m.Means, func(r namedResult) (float64, bool) {
			v, known := m.Of(r.Result)
			return v.Value, known
		})
		if m.Range {
			bound := func(what string, of func(result.Value) float64) {
				family(name+"_"+what, strings.ToUpper(what[:1])+what[1:]+" bound of the result.", func(r namedResult) (float64, bool) {
					v, known := m.Of(r.Result)
					return of(v), known && v.Interval()
				})
			}
			bound("lower", func(v result.Value) float64 { return v.Lower })
			bound("upper", func(v result.Value) float64 { return v.Upper })
		}
	}
	b.WriteString("# EOF\n")
	_, err := w.Write(b.Bytes())
	return err
}

// notLabel is what the name of a label may not have.
var notLabel = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// metricLabels tell a result from all others of its campaign.
func metricLabels(c weir.Campaign, r namedResult) string {
	list := [][2]string{
		{"campaign", c.ID}, {"result", r.name}, {"method", r.Method}, {"claim", r.Claim.Name}, {"unit", r.Unit},
		{"simulated", strconv.FormatBool(r.Simulated)},
	}
	for _, name := range figures.Names(r.Factors) {
		list = append(list, [2]string{"level_" + notLabel.ReplaceAllString(name, "_"), figures.Level(r.Factors[name])})
	}
	var parts []string
	for _, l := range list {
		parts = append(parts, l[0]+`="`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(l[1])+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
