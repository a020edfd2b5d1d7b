package figures

import (
	"fmt"

	"weir"
	"weir/internal/chart"
	"weir/internal/result"
)

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
