package result

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/method"
)

// Metric is a figure that results may have: what it is called in every format, and how it is
// taken from a result.
type Metric struct {
	ID    string // its name for programs: a column of CSV, and with hyphens a measure of Bencher and of Go's benchmarks
	Title string // what people call it: "latency"; "": it has no column of its own for them
	Part  string // which of several with that title: "p50"
	Unit  string // base unit: "frames/s", "s"; "": a ratio or a number; OfResult: that of the result
	Means string // what it is, in a sentence
	Group Group
	Keep  Format
	Range bool                             // it may have bounds
	JSON  string                           // where a result in JSON has it: "latency_seconds.p50"
	Of    func(*weir.Result) (Value, bool) // false: the result has none

	Compared Comparing
}

// OfResult stands for the unit of a result, which its value has.
const OfResult = "unit"

// Value is what a metric is in a result.
type Value struct {
	weir.Bounds
	Bounded  bool // Lower and Upper are known
	AtLeast  bool // the DUT may do more
	Doubtful bool // warnings of a sweep, or its other figures, speak against it
}

// Interval reports whether a value lies within bounds that say something.
func (v Value) Interval() bool { return v.Bounded && v.Lower < v.Upper }

// Group is a kind of results that have a metric.
type Group int

// The groups of metrics.
const (
	Main      Group = iota // of every result: what it is about
	Secondary              // of every result: what was measured in addition
	Clocks                 // of testers whose sender and receiver have clocks of their own
	Windows                // of results that come from windows
	Links                  // of rates through a link that is known
)

// Format is a set of formats that take some of the metrics alone; CSV has all.
type Format int

// The formats that take some metrics alone.
const (
	Benchmark Format = 1 << iota // Go's benchmark format
	History                      // the Bencher Metric Format
	Gauge                        // OpenMetrics
)

// metrics is the table of metrics, in the order of CSV's columns.
var metrics = slices.Concat([]Metric{
	{"value", "", "", OfResult, "What was found, in the unit that it is labelled with.", Main, Benchmark | History | Gauge, true, "value", func(r *weir.Result) (Value, bool) {
		return Value{weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper}, !Early(r), AtLeast(r), KneeDoubtful(r)}, !Unknown(r)
	}, Comparing{}},
	{"loss_ratio", "", "", "", "Share of the frames that were lost at the result.", Main, Gauge, false, "loss_ratio", func(r *weir.Result) (Value, bool) {
		return exactly(r.LossRatio), r.Unmeasured == ""
	}, Comparing{}},
},
	times("latency", "Latency beside the result", Secondary, func(r *weir.Result) *weir.Latency { return r.Latency },
		Comparing{Place: 2, Title: "median latency", AtLoad: true, Unit: "s", Runs: ofKind(method.Knee, method.Overfull), Campaigns: overWindows, Missing: "its latency is not known"}),
	[]Metric{
		{"dut_cpu_seconds_per_frame", "CPU", "", "s/frame", "CPU time of the DUT for a frame.", Secondary, Benchmark | History | Gauge, false, "dut_cpu_seconds_per_frame", func(r *weir.Result) (Value, bool) {
			return atHalf(r, r.CPUPerFrame), r.CPUPerFrame > 0
		}, Comparing{Place: 4, Title: "CPU time per frame", AtLoad: true, Unit: "s", Runs: always,
			Campaigns: func(r *weir.Result) bool { return overWindows(r) || method.KindOf(r.Method) == method.Rate }, Missing: "the DUT's CPU time is not known"}},
		{"dut_cpu_share", "", "", "", "Share of the time of its CPUs that the DUT took.", Secondary, 0, false, "dut_cpu_share", func(r *weir.Result) (Value, bool) {
			return atHalf(r, r.CPUShare), r.CPUShare > 0
		}, Comparing{Place: 5, Title: "CPU load of the DUT", Unit: "%", Campaigns: func(r *weir.Result) bool { return r.Transfer != nil }}},
		ofLatency("latency", "within", "", "", "By how much all latencies may be off alike, where the clocks are two.", Clocks, 0,
			func(r *weir.Result) *weir.Latency { return r.Latency }, func(l *weir.Latency) float64 { return l.Within }),
	},
	times("round_trip", "Round trip beside the result", Clocks, func(r *weir.Result) *weir.Latency { return r.RoundTrip },
		Comparing{Place: 3, Title: "round trip: median latency", AtLoad: true, Unit: "s", Campaigns: overWindows}),
	[]Metric{
		ofSweep("knee_zero", "knee_zero.value", "frames/s", true, "Highest load of which the median window lost nothing.", func(r *weir.Result) (Value, bool) { return rate(r, r.KneeZero, ZeroDoubtful(r)) }),
		ofSweep("saturated", "saturated.value", "frames/s", true, "What is forwarded of more than the DUT can.", func(r *weir.Result) (Value, bool) { return rate(r, r.Saturated, SaturatedDoubtful(r)) }).
			compared(Comparing{Place: 1, Title: "saturated rate", Unit: "frames/s", Runs: ofKind(method.Knee), Campaigns: Swept, Missing: "it found no saturated rate"}),
		ofSweep("interruptions_per_second", "interruptions.per_second", "", false, "How often a second the DUT, or something that left no trace, stood still.", func(r *weir.Result) (Value, bool) { return exactly(r.Interruptions.PerSecond), true }),
		ofSweep("interruptions_p50", "interruptions.p50_seconds", "s", false, "For how long it did, in the median.", func(r *weir.Result) (Value, bool) { return exactly(r.Interruptions.P50), true }),
		ofSweep("interruptions_max", "interruptions.max_seconds", "s", false, "For how long it did at most.", func(r *weir.Result) (Value, bool) { return exactly(r.Interruptions.Max), true }),
		ofSweep("windows", "windows", "", false, "Windows of all rounds.", func(r *weir.Result) (Value, bool) { return exactly(float64(r.Windows)), true }),
		ofSweep("left_out_share", "left_out_share", "", false, "Share of the windows that do not count.", func(r *weir.Result) (Value, bool) { return exactly(r.LeftOutShare), true }),
		ofSweep("rounds", "rounds", "", false, "Rounds that have a knee of their own.", func(r *weir.Result) (Value, bool) { return exactly(float64(r.Rounds)), true }),
		{"line_rate_share", "", "", "", "Share of what the link carries (RFC 2544 section 20).", Links, 0, false, "line_rate_share", func(r *weir.Result) (Value, bool) {
			share := LineShare(r)
			return Value{Bounds: weir.Bounds{Value: share}, Doubtful: KneeDoubtful(r)}, share > 0
		}, Comparing{}},
	})

// times describes the metrics of the times that frames take.
func times(id, means string, g Group, which func(*weir.Result) *weir.Latency, median Comparing) (out []Metric) {
	for _, q := range []struct {
		id, means string
		keep      Format
		of        func(*weir.Latency) float64
	}{
		{"min", "the least", 0, func(l *weir.Latency) float64 { return l.Min }},
		{"p50", "the median", Benchmark | History | Gauge, func(l *weir.Latency) float64 { return l.P50 }},
		{"p90", "quantile of 90 %", 0, func(l *weir.Latency) float64 { return l.P90 }},
		{"p99", "quantile of 99 %", Benchmark | History | Gauge, func(l *weir.Latency) float64 { return l.P99 }},
		{"p99.9", "quantile of 99.9 %", 0, func(l *weir.Latency) float64 { return l.P999 }},
		{"max", "the greatest", Gauge, func(l *weir.Latency) float64 { return l.Max }},
		{"mean", "the mean", 0, func(l *weir.Latency) float64 { return l.Mean }},
	} {
		m := ofLatency(id, q.id, strings.ReplaceAll(id, "_", " "), q.id, means+": "+q.means+".", g, q.keep, which, q.of)
		if q.id == "p50" {
			m = m.compared(median)
		}
		out = append(out, m)
	}
	return out
}

// ofLatency describes a metric of the times that frames take.
func ofLatency(id, key, title, part, means string, g Group, keep Format, which func(*weir.Result) *weir.Latency, of func(*weir.Latency) float64) Metric {
	return Metric{id + "_" + key, title, part, "s", means, g, keep, false, id + "_seconds." + key, func(r *weir.Result) (Value, bool) {
		l := which(r)
		if l == nil {
			return Value{}, false
		}
		return atHalf(r, of(l)), true
	}, Comparing{}}
}

// ofSweep describes a metric of a result that comes from windows.
func ofSweep(id, in, unit string, bounds bool, means string, of func(*weir.Result) (Value, bool)) Metric {
	return Metric{id, "", "", unit, means, Windows, 0, bounds, in, func(r *weir.Result) (Value, bool) {
		if !InWindows(r) {
			return Value{}, false
		}
		v, known := of(r)
		v.Bounded = v.Bounded && !Early(r)
		return v, known
	}, Comparing{}}
}

// exactly returns a value without bounds.
func exactly(v float64) Value { return Value{Bounds: weir.Bounds{Value: v}} }

// atHalf returns a value without bounds, of a sweep one at half of its knee.
func atHalf(r *weir.Result, v float64) Value {
	return Value{Bounds: weir.Bounds{Value: v}, Doubtful: InWindows(r) && AtHalfDoubtful(r)}
}

// rate returns a rate of a sweep with its bounds; false where it has found none.
func rate(r *weir.Result, b weir.Bounds, doubtful bool) (Value, bool) {
	return Value{b, true, r.Limited == weir.LimitedBySpeed, doubtful}, b.Value != 0
}

// Name returns the ID as the name of a measure: "latency-p50".
func (m Metric) Name() string { return strings.ReplaceAll(m.ID, "_", "-") }

// Heading returns what people call it: "latency p50".
func (m Metric) Heading() string { return strings.TrimSpace(m.Title + " " + m.Part) }

// All returns all metrics, in the order of CSV's columns.
func All() []Metric { return slices.Clone(metrics) }

// Metrics returns those of a group, in the order of CSV's columns.
func Metrics(g Group) []Metric {
	return slices.DeleteFunc(slices.Clone(metrics), func(m Metric) bool { return m.Group != g })
}

// Kept returns the metrics that a format takes.
func Kept(f Format) []Metric {
	return slices.DeleteFunc(slices.Clone(metrics), func(m Metric) bool { return m.Keep&f == 0 })
}

// Named returns the metric of an ID, which has to be in the table.
func Named(id string) Metric {
	return metrics[slices.IndexFunc(metrics, func(m Metric) bool { return m.ID == id })]
}

// Table returns the rows of docs/results.md.
func Table() string {
	var b strings.Builder
	b.WriteString("| metric | unit | what it is | in JSON | also in |\n|---|---|---|---|---|\n")
	for _, m := range metrics {
		var also []string
		for _, f := range []struct {
			Format
			name string
		}{{Benchmark, "benchfmt"}, {History, "bencher"}, {Gauge, "openmetrics"}} {
			if m.Keep&f.Format != 0 {
				also = append(also, f.name)
			}
		}
		unit := m.Unit
		if unit == OfResult {
			unit = "that of `unit`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", m.ID, unit, m.Means, m.JSON, strings.Join(also, ", "))
	}
	return b.String()
}

// Has reports whether a result is of a group, so that a table for programs has its columns.
func Has(r *weir.Result, g Group) bool {
	switch g {
	case Clocks:
		return r.RoundTrip != nil || r.Latency != nil && r.Latency.Within > 0
	case Windows:
		return InWindows(r)
	case Links:
		return LineShare(r) > 0
	}
	return true
}
