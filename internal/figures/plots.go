package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/frame"
	"weir/internal/chart"
	"weir/internal/method"
	"weir/internal/result"
)

// RatePlot is the rate over the frame size with the theoretical line (RFC 2544
// section 26.1). A mix is at its mean size, unconnected. Where there are
// other levels too, each has a line for its lowest loss.
func RatePlot(g Grid) chart.Chart {
	c := chart.Chart{
		Title: "Rate over frame size",
		X:     chart.Axis{Label: "frame size, octets with FCS", Log: true},
		Y:     chart.Axis{Label: "frames/s", Log: true},
	}
	var named []mix
	rates := func(color int, name string, of func(row) *weir.Result) {
		line := chart.Series{Name: name, Color: color, Line: true, Dots: true}
		mixes := chart.Series{Color: color, Dots: true}
		for _, w := range g.Rows {
			r := of(w)
			if r == nil || result.Unknown(r) {
				continue
			}
			p := chart.Point{X: w.Mean, Y: r.Value, Tip: fmt.Sprintf("%s: %s kpps, %s", w.Label, Kpps(r.Value), name)}
			if w.Octets > 0 {
				line.Points = append(line.Points, p)
			} else {
				mixes.Points = append(mixes.Points, p)
				if color == 0 {
					named = append(named, mix{w.Mean, r.Value, w.Traffic})
				}
			}
		}
		slices.SortStableFunc(line.Points, func(a, b chart.Point) int { return int(a.X - b.X) })
		if len(line.Points)+len(mixes.Points) > 0 {
			c.Series = append(c.Series, line, mixes)
		}
	}
	if groups := g.groups(); len(groups) > chart.Palette {
		return chart.Chart{} // more lines than can be distinguished; the table has them
	} else if len(groups) > 1 && len(g.Goals) > 0 {
		for i, group := range groups {
			rates(i, goalLabel(g.Goals[0])+", "+cmp.Or(group, "plain"), func(w row) *weir.Result {
				if w.Group != group {
					return nil
				}
				return w.Rates[g.Goals[0]]
			})
		}
	} else {
		for i, goal := range g.Goals {
			rates(i, goalLabel(goal), func(w row) *weir.Result { return w.Rates[goal] })
		}
		rates(len(g.Goals), "FRMOL", func(w row) *weir.Result { return w.Most })
		for _, loss := range g.Knees {
			rates(nextColor(c), "sweep, loss "+Percent(loss)+" %", func(w row) *weir.Result { return w.Swept[loss] })
		}
		for _, heading := range g.otherRates() {
			rates(nextColor(c), heading, func(w row) *weir.Result { return w.of(heading) })
		}
	}
	if !g.sizes() || len(c.Series) == 0 {
		return chart.Chart{} // nothing to go over
	}
	c.Series = append(c.Series, mixNames(named)...)
	least, most := math.Inf(1), 0.0
	for _, w := range g.Rows {
		least, most = min(least, w.Mean), max(most, w.Mean)
		if w.Octets > 0 && !slices.ContainsFunc(c.X.Ticks, func(t chart.Tick) bool { return t.Value == w.Mean }) {
			c.X.Ticks = append(c.X.Ticks, chart.Tick{Value: w.Mean, Label: w.Traffic})
		}
	}
	slices.SortFunc(c.X.Ticks, func(a, b chart.Tick) int { return int(a.Value - b.Value) })
	m, known := mediumFor(g)
	if !known {
		return c
	}
	line := chart.Series{Color: chart.Muted, Line: true, Dashed: true, Start: m.name + " line rate"}
	for i := range 25 {
		size := least * math.Pow(most/least, float64(i)/24)
		line.Points = append(line.Points, chart.Point{X: size, Y: frame.LineRate(m.bits, size)})
	}
	if top := highest(c); frame.LineRate(m.bits, most) <= farAbove*top {
		c.Series = append([]chart.Series{line}, c.Series...)
	}
	return c
}

// farAbove is how many times a medium's rate is above all that was measured where it
// would take the room of what was.
const farAbove = 2

// highest is the highest value of a chart.
func highest(c chart.Chart) (top float64) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			top = max(top, p.Y)
		}
	}
	return top
}

// LossPlot shows the loss over the load that was offered, a line for each row, in
// the trials of one steady load up to twice what was forwarded at most.
func LossPlot(c weir.Campaign, g Grid) chart.Chart {
	out := chart.Chart{Title: "Loss over load", X: chart.Axis{Label: "offered, frames/s"}, Y: chart.Axis{Label: "frames lost, %"}}
	if len(g.Rows) > mostLines {
		return out // more than can be distinguished; the table of trials has them
	}
	for i, w := range g.Rows {
		trials := slices.DeleteFunc(slices.Clone(w.measured(c)), func(t weir.TrialResult) bool {
			// Not one load that the DUT had to carry all the time.
			return t.Trial.Bypass || t.Trial.Then != nil || t.Trial.Event != nil || t.Trial.Count > 0 || t.Trial.Transfer != nil || method.KindOf(t.Trial.Purpose) == method.Knee || t.OfferedRate() == 0
		})
		most := 0.0
		for _, t := range trials {
			most = max(most, t.ForwardingRate())
		}
		line := lineOf(i, w.title())
		line.Dots = true
		for _, t := range trials {
			if p := (chart.Point{X: t.OfferedRate(), Y: max(0, t.LossRatio()) * 100}); p.X <= beyondKnee*most {
				p.Tip = fmt.Sprintf("trial %d (%s): offered %s kpps, forwarded %s kpps, loss %s %%",
					t.Trial.Number, t.Trial.Purpose, Kpps(p.X), Kpps(t.ForwardingRate()), Percent(t.LossRatio()))
				line.Points = append(line.Points, p)
			}
		}
		slices.SortStableFunc(line.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
		if len(line.Points) > 0 {
			out.Series = append(out.Series, line)
		}
	}
	return out
}

// mostLines is the most lines of a chart: all colours, solid and dashed.
const mostLines = 2 * chart.Palette

// lineOf is the i-th line of a chart.
func lineOf(i int, name string) chart.Series {
	return chart.Series{Name: name, Color: i % chart.Palette, Line: true, Dashed: i >= chart.Palette}
}

// LatencyPlot shows the percentiles of all latency trials of each size; the
// axis stretches the tail so that every nine gets the same room.
func LatencyPlot(c weir.Campaign, g Grid) chart.Chart {
	out := chart.Chart{
		Title: "Latency percentiles",
		X:     chart.Axis{Label: "percentile", Log: true, Percentiles: true, Min: 1, Max: 10},
		Y:     chart.Axis{Label: "one-way latency, µs", Log: true, Plain: true},
	}
	for color, w := range g.Rows {
		var h weir.Histogram
		for _, t := range w.measured(c) {
			if method.KindOf(t.Trial.Purpose) == method.Delay || method.KindOf(t.Trial.Purpose) == method.Knee && len(t.Trial.Windows) == 0 {
				h.Merge(t.Latency)
			}
		}
		if h.N == 0 {
			continue
		}
		s := lineOf(color, w.Label)
		marks := chart.Series{Color: s.Color, Dots: true}
		last := min(float64(h.N), 1e6)
		for i := 0; ; i++ {
			x := math.Pow(10, float64(i)/24)
			if x > last {
				break
			}
			s.Points = append(s.Points, chart.Point{X: x, Y: h.Quantile(1-1/x) * 1e6})
		}
		for _, q := range []float64{.5, .9, .99, .999} {
			if 1/(1-q) <= last {
				y := h.Quantile(q)
				marks.Points = append(marks.Points, chart.Point{X: 1 / (1 - q), Y: y * 1e6, Tip: fmt.Sprintf("%s: p%g %s µs", w.Label, q*100, Micros(y))})
			}
		}
		out.Series = append(out.Series, s, marks)
		out.X.Max = max(out.X.Max, last)
	}
	return out
}
