package result

import (
	"cmp"
	"iter"
	"slices"

	"weir"
	"weir/internal/method"
)

// Comparing is how runs, and campaigns in one table, are compared by a metric in addition to the values
// of their results; the zero value: they are not.
type Comparing struct {
	Place     int                     // among these metrics, from 1 on
	Title     string                  // what people call it there: "median latency"
	AtLoad    bool                    // it is one at the load of the result, after windows at half of it
	Unit      string                  // of it with that title
	Runs      func(*weir.Result) bool // whether runs with such a result are compared by it; nil: none
	Campaigns func(*weir.Result) bool // likewise campaigns
	Missing   string                  // why a run does not count that has none
}

// compared returns the metric with how results are compared by it.
func (m Metric) compared(c Comparing) Metric {
	m.Compared = c
	return m
}

// byPlace are the metrics by which results are compared in addition to their values, in their order.
var byPlace = slices.SortedFunc(func(yield func(Metric) bool) {
	for _, m := range metrics {
		if m.Compared.Place > 0 && !yield(m) {
			return
		}
	}
}, func(a, b Metric) int { return cmp.Compare(a.Compared.Place, b.Compared.Place) })

// ComparedByRuns goes through the metrics by which runs with such a result are compared.
func ComparedByRuns(r *weir.Result) iter.Seq[Metric] {
	return applying(r, func(c Comparing) func(*weir.Result) bool { return c.Runs })
}

// ComparedByCampaigns goes through those by which campaigns with such a result are compared.
func ComparedByCampaigns(r *weir.Result) iter.Seq[Metric] {
	return applying(r, func(c Comparing) func(*weir.Result) bool { return c.Campaigns })
}

// applying goes through the metrics of which a condition holds for a result.
func applying(r *weir.Result, which func(Comparing) func(*weir.Result) bool) iter.Seq[Metric] {
	return func(yield func(Metric) bool) {
		for _, m := range byPlace {
			if applies := which(m.Compared); applies != nil && applies(r) && !yield(m) {
				return
			}
		}
	}
}

// always applies to every result.
func always(*weir.Result) bool { return true }

// ofKind applies to results of methods of some kinds.
func ofKind(kinds ...method.Kind) func(*weir.Result) bool {
	return func(r *weir.Result) bool { return slices.Contains(kinds, method.KindOf(r.Method)) }
}

// overWindows applies to what windows found, and to what had none that counted under an overload.
func overWindows(r *weir.Result) bool {
	return InWindows(r) || method.KindOf(r.Method) == method.Overfull
}
