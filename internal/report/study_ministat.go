package report

import (
	"bytes"

	"weir/internal/proof"
	"weir/stats"
)

// A printout is what ministat prints of a comparison.
type printout struct{ Title, Text string }

// maxBlocks is the most comparisons that ministat is printed of.
const maxBlocks = 12

// blocks are those of the comparisons that ministat can print, the lead's
// first; Of more runs than it has room for nothing is left out.
func (s study) blocks() []printout {
	var out []printout
	for _, c := range s.led() {
		var b bytes.Buffer
		if len(out) == maxBlocks || stats.Ministat(&b, s.sets(c), stats.MinistatOptions{}) != nil {
			continue // too few runs, or too many arms; the verdicts are there all the same
		}
		out = append(out, printout{s.subject(c), b.String()})
	}
	return out
}

// led are the comparisons of values, that of the lead first.
func (s study) led() []proof.Comparison {
	l, any := s.lead()
	if !any {
		return s.values()
	}
	same := func(c proof.Comparison) bool {
		return measure(c) == measure(l.Comparison) && s.traffic(c) == s.traffic(l.Comparison)
	}
	out := []proof.Comparison{l.Comparison}
	for _, c := range s.values() {
		if !same(c) {
			out = append(out, c)
		}
	}
	return out
}

// sets are the values of each arm that count, the baseline's first.
func (s study) sets(c proof.Comparison) []stats.Set {
	out := make([]stats.Set, len(c.Arms))
	for i, a := range c.Arms {
		out[i].Name = a.Arm
	}
	for _, r := range c.Runs {
		if i := armOf(c, r); i >= 0 && r.Doubt == "" {
			out[i].Values = append(out[i].Values, r.Value)
		}
	}
	return out
}
