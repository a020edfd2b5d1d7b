package figures

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"weir"
)

// FasterBefore says of which frames a machine has forwarded more than in a campaign, by
// other campaigns that measured the same there; "" where it has not. It has where the
// intervals do not touch.
func FasterBefore(c weir.Campaign, others []weir.Campaign) string {
	var parts []string
	for _, r := range weir.Latest(c.Results) {
		if r.Sweep == nil || !(r.Value > 0) || r.Run.Number > 0 {
			continue
		}
		var best weir.Result
		id := ""
		for _, other := range others {
			for _, o := range weir.Latest(other.Results) {
				if o.Sweep != nil && o.Value > best.Value && sameThing(r, o) {
					best, id = o, other.ID
				}
			}
		}
		if cmp.Or(best.Lower, best.Value) > max(r.Upper, r.Value) {
			parts = append(parts, fmt.Sprintf("%v: %s kpps (%s)", r.Factors["frame_size"], Significant(best.Value/1e3), id))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "this machine has forwarded more before: " + strings.Join(parts, ", ")
}

// sameThing reports whether two results are of one method at the same levels.
func sameThing(a, b weir.Result) bool {
	levels := func(r weir.Result) string {
		text, _ := json.Marshal(r.Factors)
		return string(text)
	}
	return a.Method == b.Method && a.LossRatio == b.LossRatio && levels(a) == levels(b)
}
