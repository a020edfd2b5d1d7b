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
	var b bytes.Buffer
	results := foundBy(c)
	family := func(name, help string, of func(r namedResult) (float64, bool)) {
		fmt.Fprintf(&b, "# TYPE weir_%s gauge\n# HELP weir_%s %s\n", name, name, help)
		for _, r := range results {
			if v, known := of(r); known {
				fmt.Fprintf(&b, "weir_%s%s %s\n", name, metricLabels(c, r), figures.Exact(v))
			}
		}
	}
	bound := func(of func(r namedResult) float64) func(r namedResult) (float64, bool) {
		return func(r namedResult) (float64, bool) {
			return of(r), !result.Unknown(r.Result) && !result.Early(r.Result) && r.Lower < r.Upper
		}
	}
	family("result", "What was found, in the unit that it is labelled with.", func(r namedResult) (float64, bool) { return r.Value, !result.Unknown(r.Result) })
	family("result_lower", "Lower bound of the result.", bound(func(r namedResult) float64 { return r.Lower }))
	family("result_upper", "Upper bound of the result.", bound(func(r namedResult) float64 { return r.Upper }))
	family("loss_ratio", "Share of the frames that were lost at the result.", func(r namedResult) (float64, bool) { return r.LossRatio, r.Unmeasured == "" })
	times := func(name, help string, which func(r namedResult) *weir.Latency) {
		for _, q := range []struct {
			name string
			of   func(l *weir.Latency) float64
		}{
			{"p50", func(l *weir.Latency) float64 { return l.P50 }},
			{"p99", func(l *weir.Latency) float64 { return l.P99 }},
			{"max", func(l *weir.Latency) float64 { return l.Max }},
		} {
			family(name+"_"+q.name+"_seconds", help, func(r namedResult) (float64, bool) {
				if l := which(r); l != nil {
					return q.of(l), true
				}
				return 0, false
			})
		}
	}
	times("latency", "Latency beside the result.", func(r namedResult) *weir.Latency { return r.Latency })
	if slices.ContainsFunc(results, func(r namedResult) bool { return r.RoundTrip != nil }) {
		times("round_trip", "Round trip beside the result.", func(r namedResult) *weir.Latency { return r.RoundTrip })
	}
	family("dut_cpu_seconds_per_frame", "CPU time of the DUT for a frame.", func(r namedResult) (float64, bool) { return r.CPUPerFrame, r.CPUPerFrame > 0 })
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
