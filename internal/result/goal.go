package result

import (
	"cmp"
	"strconv"
	"strings"

	"weir"
	"weir/internal/method"
)

// Goal names the goal of a search whose method may have several, as "loss 0.5 %": no two goals of a campaign
// have the same name. It is "" of a throughput, whose goal is no loss, and of what is no search.
func Goal(r *weir.Result) string {
	kind := method.KindOf(r.Method)
	if kind != method.Goals && (kind != method.Rate || r.LossRatio == 0) {
		return ""
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	parts := []string{"loss " + number(100*r.LossRatio) + " %"}
	if kind == method.Goals {
		if r.ExceedRatio > 0 {
			parts = append(parts, "exceed "+number(100*r.ExceedRatio)+" %")
		}
		if span := cmp.Or(r.Sum, r.TrialSeconds); span > 0 {
			parts = append(parts, number(r.TrialSeconds)+" s of "+number(span)+" s")
		}
	}
	return strings.Join(parts, ", ")
}
