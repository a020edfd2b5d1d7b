package samples

import (
	"weir"
)

// Doubtful is a campaign with a result for each size, which carries these sentences.
func Doubtful(code weir.WarningCode, said map[int][]weir.Sentence) weir.Campaign {
	c := weir.Campaign{Ended: "complete"}
	for _, size := range []int{64, 512, 1518} {
		r := weir.Result{Method: "throughput", Unit: "frames/s", Value: 1e6, Factors: weir.Factors{"frame_size": size}}
		for _, s := range said[size] {
			r.Warnings = append(r.Warnings, weir.Warning{Code: code, Sentence: s})
		}
		c.Results = append(c.Results, r)
	}
	return c
}
