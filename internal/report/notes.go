package report

import (
	"fmt"

	"weir/internal/figures"
)

// A miss is what keeps claims from a stronger name.
type miss struct {
	Text string
	Refs string // the claims that it concerns, "[2][3]"
}

// misses are what claims miss, each once, in the order of appearance.
func misses(list []figures.Earned) []miss {
	var out []miss
	for i, e := range list {
		for _, text := range e.Missed {
			at := figures.FindOrAdd(&out, func(m miss) bool { return m.Text == text }, miss{Text: text})
			out[at].Refs += fmt.Sprintf("[%d]", i+1)
		}
	}
	return out
}
