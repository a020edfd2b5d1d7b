package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
)

// How much of a large experiment is drawn.
const (
	maxPanels = 8   // comparisons
	maxDots   = 400 // runs of a comparison, beyond which every n-th is drawn
)

// runPlots show the runs of each arm as dots, in the order of measuring from
// left to right, with the interval of the arm's rate next to them. What the runs
// of a block share is left out, as it is in the interval.
func (s study) runPlots() []chart.Chart {
	var out []chart.Chart
	for _, c := range s.panels() {
		p := chart.Chart{Title: cmp.Or(s.subject(c), "runs"), X: chart.Axis{Categories: true, Min: -.5, Max: float64(len(c.Arms)) - .5}, Y: valueAxis(c)}
		counts, total := make([]int, len(c.Arms)), make([]int, len(c.Arms))
		for _, r := range c.Runs {
			if i := armOf(c, r); i >= 0 {
				total[i]++
			}
		}
		every, shared := everyOf(c), sharedOf(c)
		lists := make([]chart.Series, len(c.Arms))
		for i, a := range c.Arms {
			lists[i] = chart.Series{Color: armColor(c, i), Dots: true}
			p.X.Ticks = append(p.X.Ticks, chart.Tick{Value: float64(i), Label: s.armLabel(c, i)})
			mean := chart.Series{Color: armColor(c, i)}
			if center(a) > 0 && a.Interval.Lower < a.Interval.Upper && bounded(a.Interval) {
				mean.Points = []chart.Point{{X: float64(i) + .36, Y: center(a), Low: a.Interval.Lower, High: a.Interval.Upper,
					Tip: fmt.Sprintf("%s: %s, between %s and %s", s.armLabel(c, i), figures.QuantityOf(c, center(a)), figures.QuantityOf(c, a.Interval.Lower), figures.QuantityOf(c, a.Interval.Upper))}}
			}
			p.Series = append(p.Series, mean)
		}
		for _, r := range c.Runs {
			i := armOf(c, r)
			if i < 0 || valueless(r) {
				continue
			}
			counts[i]++
			if counts[i]%every != 0 && r.Doubt == "" {
				continue
			}
			at := float64(i) - .34 + .6*(float64(counts[i])-.5)/float64(total[i])
			lists[i].Points = append(lists[i].Points, chart.Point{X: at, Y: r.Value / shared[r.Run.Block], Tip: s.tip(c, r), Hollow: r.Doubt != ""})
		}
		p.Series = append(p.Series, lists...)
		out = append(out, p)
	}
	return out
}

// runCharts are those of the runs, with how they are read.
func (s study) runCharts() document.ChartSet {
	order := ""
	if s.Experiment.Schedule != "" {
		order = ", from left to right in the order of measuring"
	}
	note := "Each dot is a run" + order + "; a hollow one does not count."
	if s.inBlocks() {
		note += " What all runs of a block share is taken out of them."
	}
	return document.ChartSet{Charts: s.runPlots(), Note: strings.TrimSpace(note + " The bar is the interval of the arm's mean. The axis may begin above 0. " + s.undrawn())}
}

// orderCharts are those of the runs as they were measured.
func (s study) orderCharts() document.ChartSet {
	note := "The runs as they were measured"
	if s.inBlocks() {
		note += ", with lines between blocks. What all arms of a block share cancels"
	}
	return document.ChartSet{Charts: s.orderPlots(), Note: note + "."}
}

func (s study) inBlocks() bool {
	return slices.ContainsFunc(s.values(), func(c proof.Comparison) bool { return c.Blocks > 0 })
}

// valueless reports whether a run has no value that could be drawn.
func valueless(r proof.Sample) bool { return r.Result != nil && r.Result.Unmeasured != "" }

// sharedOf is what the runs of each block have in common, relative to those of
// all blocks: the geometric mean of the block's runs. It is 1 where there are no
// blocks.
func sharedOf(c proof.Comparison) map[int]float64 {
	type mean struct{ sum, n float64 }
	blocks := make(map[int]mean)
	var all mean
	for _, r := range c.Runs {
		if r.Value <= 0 {
			continue
		}
		m := blocks[r.Run.Block]
		blocks[r.Run.Block] = mean{m.sum + math.Log(r.Value), m.n + 1}
		if r.Doubt == "" {
			all = mean{all.sum + math.Log(r.Value), all.n + 1}
		}
	}
	out := make(map[int]float64)
	for _, r := range c.Runs {
		b := r.Run.Block
		out[b] = 1
		if m := blocks[b]; c.Blocks > 0 && m.n > 0 && all.n > 0 {
			out[b] = math.Exp(m.sum/m.n - all.sum/all.n)
		}
	}
	return out
}

// orderPlots show the runs in the order in which they were measured, with lines
// between the blocks; none where the order is not known.
func (s study) orderPlots() []chart.Chart {
	if s.Experiment.Schedule == "" {
		return nil // nobody knows it
	}
	var out []chart.Chart
	for _, c := range s.panels() {
		p := chart.Chart{Title: cmp.Or(s.subject(c), "runs") + ", as measured", X: chart.Axis{Label: "run, in the order of measuring", Free: true}, Y: valueAxis(c)}
		for i := range c.Arms {
			p.Series = append(p.Series, chart.Series{Name: s.armLabel(c, i), Color: armColor(c, i), Dots: true})
		}
		every, block := everyOf(c), 0
		blocks := 0
		for _, r := range c.Runs {
			if r.Run.Block != block {
				block = r.Run.Block
				blocks++
			}
		}
		for n, r := range c.Runs {
			if r.Run.Block != block && n > 0 && blocks <= maxDots/8 {
				p.Rules = append(p.Rules, float64(n)+.5)
			}
			block = r.Run.Block
			i := armOf(c, r)
			if i < 0 || valueless(r) || n%every != 0 && r.Doubt == "" {
				continue
			}
			p.Series[i].Points = append(p.Series[i].Points, chart.Point{X: float64(n + 1), Y: r.Value, Tip: s.tip(c, r), Hollow: r.Doubt != ""})
		}
		p.X.Min, p.X.Max = 1, float64(len(c.Runs))
		out = append(out, p)
	}
	return out
}

// panels are the comparisons that are drawn, the lead's first.
func (s study) panels() []proof.Comparison {
	list := slices.DeleteFunc(slices.Clone(s.leadFirst()), func(c proof.Comparison) bool { return len(c.Runs) == 0 || len(c.Arms) == 0 })
	return list[:min(len(list), maxPanels)]
}

// undrawn says what plots leave out; "" where they show all.
func (s study) undrawn() string {
	text := ""
	if n := len(s.values()) - maxPanels; n > 0 {
		text = fmt.Sprintf("%d more %s are not drawn. ", n, figures.Plural(n, "comparison"))
	}
	for _, c := range s.panels() {
		if every := everyOf(c); every > 1 {
			return text + fmt.Sprintf("Of the runs one in %d is drawn, and those that do not count.", every)
		}
	}
	return text
}

func everyOf(c proof.Comparison) int { return (len(c.Runs) + maxDots - 1) / maxDots }

// armColor is the colour of an arm: the baseline and its A/A are muted.
func armColor(c proof.Comparison, i int) int {
	switch {
	case c.Same == nil:
		return i
	case c.Arms[i].Arm == c.Same.Arm:
		return chart.Palette - 1
	case i == 0:
		return 0
	}
	return i - 1
}

// armLabel is the name of an arm below its dots.
func (s study) armLabel(c proof.Comparison, i int) string {
	if c.Same != nil && c.Arms[i].Arm == c.Same.Arm {
		return s.short(c.Baseline) + " again"
	}
	return s.short(c.Arms[i].Arm)
}

func (s study) tip(c proof.Comparison, r proof.Sample) string {
	text := fmt.Sprintf("run %d", r.Run.Number)
	if r.Run.Block > 0 {
		text += fmt.Sprintf(", block %d", r.Run.Block)
	}
	text += ", " + s.ran(r.Run) + ": " + figures.QuantityOf(c, r.Value)
	if r.Doubt != "" {
		text += "; does not count: " + r.Doubt
	}
	return text
}

// valueAxis is the axis of a comparison's values, which does not begin at 0:
// what matters are differences of a few percent.
func valueAxis(c proof.Comparison) chart.Axis {
	label := c.Unit
	if label == "" {
		label = "value"
	}
	return chart.Axis{Label: label, Free: true}
}

// reach is the range of the pictures of all intervals in percent, 0 included.
func reach(list []proof.Comparison) (low, high float64) {
	for _, l := range effectsOf(list) {
		if c := l.Effect.Change; bounded(c) {
			low, high = min(low, c.Lower*100), max(high, c.Upper*100)
		}
	}
	room := max(.06*(high-low), .1)
	return low - room, high + room
}

// picture returns the interval of an effect with the line of no difference.
func (l effectRow) picture(low, high float64) template.HTML {
	c := l.Effect.Change
	if !bounded(c) {
		return ""
	}
	_, class := markOf(l.Comparison, l.Effect)
	const width, height = 180, 18
	at := func(p float64) float64 { return (100*p - low) / (high - low) * width }
	lower, upper := at(c.Lower), at(c.Upper)
	if l.Effect.AtLeast { // it is open
		upper = width
	}
	if l.Effect.AtMost {
		lower = 0
	}
	return template.HTML(fmt.Sprintf(`<svg class="forest %s" viewBox="0 0 %d %d" role="img" aria-label="%s"><line class="zero" x1="%.1f" x2="%.1f" y1="0" y2="%d"/>`+
		`<line class="span" x1="%.1f" x2="%.1f" y1="9" y2="9"/><circle cx="%.1f" cy="9" r="3.6"/></svg>`,
		class, width, height, html.EscapeString(boundsOf(l.Effect)), at(0), at(0), height, lower, math.Max(upper, lower+1), at(c.Estimate)))
}
