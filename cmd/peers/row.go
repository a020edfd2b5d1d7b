package main

import (
	"fmt"
	"slices"
	"strings"
)

// The rows that are not peers.
const (
	weirRow = 0
	loopRow = 1
	bareRow = 2
)

// row is what was measured of one sender.
type row struct {
	name    string
	missing bool      // its program is not on this machine
	left    bool      // it was not asked for
	rates   []float64 // frames/s that arrived, one for each round that went well
	message string    // why the latest bad round went wrong
}

func (r *row) add(rate float64, err error) {
	if err != nil {
		r.message = err.Error()
		return
	}
	r.rates = append(r.rates, rate)
}

// chosen are the places of the rows of those names, or of all when there are none;
// the others are marked as left out.
func chosen(rows []row, names string) ([]int, error) {
	var out []int
	wanted := strings.FieldsFunc(names, func(r rune) bool { return r == ',' })
	for i := range rows {
		rows[i].left = len(wanted) > 0 && !slices.Contains(wanted, rows[i].name)
		if !rows[i].left {
			out = append(out, i)
		}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == name }) {
			return nil, fmt.Errorf("there is no sender %q", name)
		}
	}
	return out, nil
}

// rotation is the order of n senders in a round, from 0: each round begins
// with another one, so that none always runs when the machine is fresh.
func rotation(n, round int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = (i + round) % n
	}
	return order
}

// median of at least one value; of an even number the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
