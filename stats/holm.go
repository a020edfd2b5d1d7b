package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts the probabilities of several tests so that the chance of one
// false difference or more among them all is at most the limit that each is
// then held against. The order is kept.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*float64(len(ps)-rank)))
		out[i] = least
	}
	return out
}
