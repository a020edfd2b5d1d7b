package figures

import (
	"encoding/json"
	"fmt"

	"weir"
	"weir/internal/chart"
	"weir/internal/result"
)

// maxWindows is the most windows that a chart has behind its curves.
const maxWindows = 2000

// fewestInBand is the number of windows from which on their interval is drawn:
// that of fewer says nothing.
const fewestInBand = 6

// beyondKnee is how far the chart of sweeps goes, as a multiple of the highest
// knee.
const beyondKnee = 2

// A sweptCurve is a sweep that has a curve, with its row.
type sweptCurve struct {
	row
	*weir.Result
}

// sweptCurves are those of a grid, and the highest load that a chart of them has.
func (g Grid) sweptCurves() (out []sweptCurve, end float64) {
	for _, w := range g.Rows {
		for _, r := range w.sweeps(g) {
			if end = max(end, beyondKnee*r.Value); len(r.Curve) > 0 {
				out = append(out, sweptCurve{w, r})
			}
		}
	}
	return out, end
}

// SweepPlot shows the loss over the load, a line for each sweep with the band of
// its intervals and its knee, and the single windows behind them where the trials
// are at hand.
func SweepPlot(c weir.Campaign, g Grid) chart.Chart {
	out := chart.Chart{Title: "Loss over load", X: chart.Axis{Label: "load, frames/s"}, Y: chart.Axis{Label: "frames lost, %"}}
	all, end := g.sweptCurves()
	if len(all) > mostLines {
		return chart.Chart{} // more lines than can be distinguished; the tables have them
	}
	number, windows := 0, make([][]chart.Point, len(all))
	for i, s := range all {
		if len(s.Speeds) > 0 {
			continue // its line is over loads in terms of the capacity of the moment, and they are not
		}
		windows[i] = windowPoints(trialsOfSweep(c, s.row, s.Result), end)
		number += len(windows[i])
	}
	step := max(1, (number+maxWindows-1)/maxWindows)
	for i := range all {
		behind := chart.Series{Color: i, Faint: true}
		for n := 0; n < len(windows[i]); n += step {
			behind.Points = append(behind.Points, windows[i][n])
		}
		if len(behind.Points) > 0 {
			out.Series = append(out.Series, behind)
		}
	}
	for i, s := range all {
		line := chart.Series{Name: s.Label, Color: i, Line: true, Band: true}
		most := 0
		for _, p := range s.Curve {
			if p.WindowPoint != nil {
				most = max(most, p.Windows)
			}
		}
		if len(g.Knees) > 1 {
			line.Name += ", loss " + Percent(s.LossRatio) + " %"
		}
		for _, p := range byLoad(s.Curve) {
			if !windowed(p) || !counted(p) || end > 0 && p.Load > end {
				continue
			}
			at := chart.Point{X: p.Load, Y: p.Loss * 100}
			if p.Windows >= fewestInBand && 2*p.Windows >= most {
				at.Low, at.High = p.Lower*100, p.Upper*100
			}
			line.Points = append(line.Points, at)
		}
		out.Series = append(out.Series, line)
		if !result.Unknown(s.Result) {
			tip := fmt.Sprintf("%s: %s%s kpps at a loss of %s %%", s.Label, least(s.Result), Significant(s.Value/1e3), Percent(s.LossRatio))
			out.Series = append(out.Series, chart.Series{Color: i, Dots: true, Points: []chart.Point{{X: s.Value, Y: s.LossRatio * 100, Tip: tip}}})
		}
	}
	return out
}

// longestPause is how long nothing may be known of a capacity, in seconds, for its line to go on:
// between the windows of a pass, and not between passes.
const longestPause = .25

// TrackPlot shows the capacity over time of the sweeps that met several speeds, a line for each
// stretch of it.
func TrackPlot(g Grid) chart.Chart {
	out := chart.Chart{Title: "Capacity over time", X: chart.Axis{Label: "time, s"}, Y: chart.Axis{Label: "capacity, frames/s"}}
	lines := 0
	for _, w := range g.Rows {
		for _, r := range w.sweeps(g) {
			if len(r.Track) == 0 || lines == mostLines {
				continue
			}
			line := chart.Series{Name: w.Label, Color: lines % chart.Palette, Line: true}
			for i, m := range r.Track {
				if i > 0 && m.From-r.Track[i-1].Until > longestPause {
					out.Series = append(out.Series, line)
					line.Name, line.Points = "", nil // the legend has it once
				}
				line.Points = append(line.Points, chart.Point{X: m.From, Y: m.Capacity}, chart.Point{X: m.Until, Y: m.Capacity})
			}
			out.Series = append(out.Series, line)
			lines++
		}
	}
	return out
}

// trialsOfSweep are the trials of windows that a sweep comes from, those of
// earlier rounds too: with the same traffic, on a DUT that was set the same way.
func trialsOfSweep(c weir.Campaign, w row, r *weir.Result) []weir.TrialResult {
	kind := func(t weir.Trial) string {
		t.Traffic.Seed = 0
		text, _ := json.Marshal([]any{t.Traffic, t.Condition, t.Run})
		return string(text)
	}
	own := ""
	if r.First > 0 {
		if list := trialsFrom(c.Trials, r.First, r.Last); len(list) > 0 {
			own = kind(list[0].Trial)
		}
	}
	var out []weir.TrialResult
	for _, t := range c.Trials {
		if len(t.Trial.Windows) == 0 || len(t.Trial.Windows) != len(t.Windows) || t.Trial.Purpose != r.Method || t.Trial.Bypass {
			continue
		}
		if own != "" && kind(t.Trial) == own || own == "" && t.Trial.Traffic.Name == w.Traffic {
			out = append(out, t)
		}
	}
	return out
}

// windowPoints are the loads up to an end and the losses of single windows.
func windowPoints(trials []weir.TrialResult, end float64) []chart.Point {
	var out []chart.Point
	for _, t := range trials {
		for i, asked := range t.Trial.Windows {
			ports := float64(t.Trial.Traffic.Ports())
			if asked.Side > 0 {
				ports = 1
			}
			found := t.Windows[i]
			if load := asked.Intended * ports; found.Sent > 0 && load <= end {
				out = append(out, chart.Point{X: load, Y: max(0, 1-float64(found.Received)/float64(found.Sent)) * 100})
			}
		}
	}
	return out
}
