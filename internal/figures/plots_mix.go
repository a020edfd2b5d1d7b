package figures

import (
	"cmp"
	"math"
	"slices"

	"weir"
	"weir/internal/chart"
	"weir/internal/method"
)

// A mix is the place of a mix of sizes in the plot of rates, and its name.
type mix struct {
	mean, rate float64
	name       string
}

// mixNames are the names of mixes above their dots; those of mixes that are
// close to each other stand in one line, in the order of their mean sizes.
func mixNames(mixes []mix) []chart.Series {
	slices.SortStableFunc(mixes, func(a, b mix) int { return cmp.Compare(a.mean, b.mean) })
	var out []chart.Series
	for i, m := range mixes {
		top := chart.Point{X: m.mean, Y: m.rate}
		if i > 0 && math.Log(m.mean/mixes[i-1].mean) < .4 {
			last := &out[len(out)-1]
			top.Y = max(top.Y, last.Points[0].Y)
			last.End, last.Points = last.End+", "+m.name, []chart.Point{top}
			continue
		}
		out = append(out, chart.Series{Color: 0, End: m.name, Points: []chart.Point{top}})
	}
	return out
}

// otherRates are the headings of rates of the DUT that have no column of their
// own.
func (g Grid) otherRates() []string {
	var out []string
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if k := Kind(r); k == method.Peak || k == method.Goals {
				out = With(out, Sought(*r))
			}
		}
	}
	return out
}

// of is the row's first result with a heading; nil when there is none.
func (w row) of(heading string) *weir.Result {
	for _, r := range w.Results {
		if Sought(*r) == heading {
			return r
		}
	}
	return nil
}

// nextColor is the colour after those of the named series that there are.
func nextColor(c chart.Chart) int {
	n := 0
	for _, s := range c.Series {
		if s.Name != "" {
			n++
		}
	}
	return n
}
