package samples

import (
	"weir"
)

// Doubtful is a campaign with a result for each size, which carries these texts.
func Doubtful(code weir.WarningCode, texts map[int][]string) weir.Campaign {
	c := weir.Campaign{Ended: "complete"}
	for _, size := range []int{64, 512, 1518} {
		r := weir.Result{Method: "throughput", Unit: "frames/s", Value: 1e6, Factors: weir.Factors{"frame_size": size}}
		for _, text := range texts[size] {
			r.Warnings = append(r.Warnings, weir.Warning{Code: code, Text: text})
		}
		c.Results = append(c.Results, r)
	}
	return c
}
