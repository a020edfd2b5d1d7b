package figures

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"weir"
	"weir/internal/method"
)

// FasterBefore says of which frames a machine has forwarded more than in a campaign, by
// other campaigns that measured the same there; "" where it has not. It has where the
// intervals do not touch, and none of the speeds that the campaign met is as fast. Of a box behind ports it is not known whether it is the same.
func FasterBefore(c weir.Campaign, others []weir.Campaign) string {
	if c.Manifest.Testbed != "netns" {
		return ""
	}
	var parts []string
	for _, r := range weir.Latest(c.Results) {
		if Kind(&r) != method.Knee || !(r.Value > 0) || r.Run.Number > 0 {
			continue
		}
		var best weir.Result
		id := ""
		for _, other := range others {
			for _, o := range weir.Latest(other.Results) {
				if cmp.Or(o.Lower, o.Value) > cmp.Or(best.Lower, best.Value) && sameThing(r, o) {
					best, id = o, other.ID
				}
			}
		}
		most := max(r.Upper, r.Value)
		for _, s := range r.Speeds {
			most = max(most, s.Capacity)
		}
		if cmp.Or(best.Lower, best.Value) > most {
			parts = append(parts, fmt.Sprintf("%s: %s kpps in campaign %s", Labelled(r.Factors, nil), Significant(best.Value/1e3), id))
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
