package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/internal/chart"
	"weir/internal/method"
	"weir/internal/result"
)

// FactorPlots show what was found over each factor that has several levels
// which are numbers: throughput over the number of routes, flows or filters
// (RFC 3222). There is one line for each method and frame size.
func FactorPlots(g Grid) []chart.Chart {
	var out []chart.Chart
	for _, factor := range scales(g) {
		for _, unit := range []string{"frames/s", "s"} {
			c := chart.Chart{
				Title: fmt.Sprintf("%s over %s", map[string]string{"frames/s": "Rates", "s": "Times"}[unit], factor),
				X:     chart.Axis{Label: factor, Log: true},
				Y:     chart.Axis{Label: map[string]string{"frames/s": "frames/s", "s": "s"}[unit], Log: unit == "s"},
			}
			c.Series = linesOver(g, factor, unit)
			if !c.Empty() {
				out = append(out, c)
			}
		}
	}
	return out
}

// scales are the factors that have at least two levels above 0, but for the
// frame size.
func scales(g Grid) []string {
	levels := make(map[string][]float64)
	var order []string
	for _, w := range g.Rows {
		for _, name := range result.Names(w.Results[0].Factors) {
			v, ok := result.Number(w.Results[0].Factors[name])
			if name == "frame_size" || !ok || v <= 0 {
				continue
			}
			order = With(order, name)
			levels[name] = With(levels[name], v)
		}
	}
	return slices.DeleteFunc(order, func(name string) bool { return len(levels[name]) < 2 })
}

func linesOver(g Grid, factor, unit string) []chart.Series {
	var out []chart.Series
	for _, w := range g.Rows {
		x, ok := result.Number(w.Results[0].Factors[factor])
		if !ok || x <= 0 {
			continue
		}
		for _, r := range w.Results {
			if r.Unit != unit || r.Value <= 0 {
				continue
			}
			name := fmt.Sprintf("%s, %s", Sought(*r), w.Traffic)
			i := FindOrAdd(&out, func(s chart.Series) bool { return s.Name == name }, chart.Series{Name: name, Color: len(out), Line: true, Dots: true})
			out[i].Points = append(out[i].Points, chart.Point{X: x, Y: r.Value,
				Tip: fmt.Sprintf("%s, %s: %s", name, Written(factor, x), Quantity(r.Value, r.Unit))})
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i].Points, func(a, b chart.Point) int { return int(a.X - b.X) })
	}
	return slices.DeleteFunc(out, func(s chart.Series) bool { return len(s.Points) < 2 })
}

// MaxBars is the most rows that have room for their names below bars.
const MaxBars = 8

// CPUPlots show the DUT's CPU time for a frame, and its CPUs' load, by size
// and by what was sought.
func CPUPlots(g Grid) []chart.Chart {
	if len(g.Rows) > MaxBars {
		return nil // names would lie on top of each other; the table has the numbers
	}
	perFrame := chart.Chart{Title: "CPU time per frame", Y: chart.Axis{Label: "ns per frame"}}
	share := chart.Chart{Title: "CPU load", Y: chart.Axis{Label: "% of the DUT's CPUs"}}
	x := chart.Axis{Label: "frame size, octets with FCS", Categories: true, Min: -.5, Max: float64(len(g.Rows)) - .5}
	var headings []string
	for i, w := range g.Rows {
		x.Ticks = append(x.Ticks, chart.Tick{Value: float64(i), Label: w.Label})
		for _, r := range w.Results {
			if lasting(r) {
				headings = With(headings, Sought(*r))
			}
		}
	}
	perFrame.X, share.X = x, x
	for color, heading := range headings {
		ns := chart.Series{Name: heading, Color: color, Bars: true}
		load := ns
		for i, w := range g.Rows {
			for _, r := range w.Results {
				if Sought(*r) != heading || !lasting(r) {
					continue
				}
				tip := fmt.Sprintf("%s, %s: %s ns per frame, CPU %s %%", w.Label, heading, nanos(r.CPUPerFrame), cpuPercent(r.CPUShare))
				ns.Points = append(ns.Points, chart.Point{X: float64(i), Y: r.CPUPerFrame * 1e9, Tip: tip, Mark: nanos(r.CPUPerFrame)})
				load.Points = append(load.Points, chart.Point{X: float64(i), Y: min(r.CPUShare, 1) * 100, Tip: tip, Mark: cpuPercent(r.CPUShare)})
				break
			}
		}
		perFrame.Series = append(perFrame.Series, ns)
		share.Series = append(share.Series, load)
	}
	return []chart.Chart{perFrame, share}
}

// lasting reports whether a result has a CPU time that means something: that of
// a short burst is mostly of other work, and a search that found nothing has no
// load.
func lasting(r *weir.Result) bool {
	return r.CPUPerFrame > 0 && r.Unit != "frames" && !result.Unknown(r)
}

// A mix is the place of a mix of sizes in the plot of rates, and its name.
type mix struct {
	mean, rate float64
	name       string
}

// mixNames are the names of mixes above their dots; those of mixes that are
// close to each other are in one line, in the order of their mean sizes.
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
