package figures

import (
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/stats"
)

const (
	// peakLimit is how far above the median the fastest second of a transfer has to
	// be to be shown: it is a peak then, and no rate.
	peakLimit = 1.1
	// fluctuationLimit is how far from the median a second has to be, relative to it,
	// for its transfer to be in the table of those.
	fluctuationLimit = .2
	// maxUnstable and maxUnstableRuns are the most charts of rates that fluctuate,
	// and the most runs in each of them.
	maxUnstable, maxUnstableRuns = 8, 3
)

// A course is how the rate of a transfer went, second by second, in all of its
// runs together. Rates are in bit/s on the link to the receiving end.
type course struct {
	transferCell
	Label, Title       string
	Least, Median, Max float64
	Low                float64 // share of the seconds below half of the median
	Unstable           bool    // a run has the warning
	Short              bool    // no run has enough seconds to say whether it is
}

// Courses are those of the transfers that were measured.
func (s transferSet) Courses() []course {
	var out []course
	for y, row := range s.Rows {
		for x := range s.Columns {
			c, there := s.cells[[2]int{y, x}]
			if !there {
				continue
			}
			if o := (course{transferCell: c, Label: row, Title: s.title(x)}); o.count() {
				out = append(out, o)
			}
		}
	}
	return out
}

// count fills in what the seconds of the runs are; false where none was measured.
func (c *course) count() bool {
	runs := slices.DeleteFunc(slices.Clone(c.Runs), func(r *weir.Result) bool { return r.Transfer == nil || r.Unmeasured != "" })
	var rates []float64
	for _, r := range runs {
		rates = append(rates, r.Rates...)
	}
	c.Unstable = slices.ContainsFunc(runs, unstable)
	c.Short = !slices.ContainsFunc(runs, func(r *weir.Result) bool { return len(r.Rates) >= weir.LeastSeconds }) && !c.Unstable
	n := len(rates)
	if n == 0 {
		return len(runs) > 0
	}
	c.Least, c.Max, c.Median = slices.Min(rates), slices.Max(rates), stats.Median(rates)
	for _, v := range rates {
		if v < c.Median/2 {
			c.Low += 1 / float64(n)
		}
	}
	return true
}

// unstable reports whether the rate of a run fluctuated.
func unstable(r *weir.Result) bool { return weir.HasWarning(r.Warnings, weir.UnstableRate) }

// fluctuates reports whether any second of a course is far from the others.
func (c course) fluctuates() bool {
	return c.Unstable || c.Low > 0 || c.Max > (1+fluctuationLimit)*c.Median || c.Least < (1-fluctuationLimit)*c.Median
}

// SecondsTable is the table of the courses that fluctuate, and sentences
// about the others.
func SecondsTable(list []course) (t document.Table, note string) {
	var rates []float64
	var shown []course
	short, still := 0, 0
	for _, c := range list {
		switch {
		case c.Short:
			short++
		case !c.fluctuates():
			still++
		}
		if c.fluctuates() {
			shown, rates = append(shown, c), append(rates, c.Median)
		}
	}
	in := ScaleFor(rates)
	t = document.TableOf(courseColumns(in), shown)
	if len(shown) > 0 {
		note = "The rate is that of the payload. Seconds are of the link to the receiving end, with the headers of frames; those of the warm-up, and the first and the last one are left out; low is the share of them below half of their median. A peak is the fastest second, and not reproducible: no rate is one."
	}
	if still > 0 {
		which := fmt.Sprintf("%d other %s", still, Plural(still, "transfer"))
		switch {
		case len(list) == 1:
			which = "the one transfer"
		case still == len(list):
			which = fmt.Sprintf("all %d transfers", still)
		}
		note = TrimmedJoin(note, fmt.Sprintf("In %s no second is further than %s %% from the median.", which, Percent(fluctuationLimit)))
	}
	if short > 0 {
		note = TrimmedJoin(note, fmt.Sprintf("%d of %d %s too short to say whether the rate fluctuates: fewer than %d whole seconds count.",
			short, len(list), Pick(len(list), "transfer is", "transfers are"), weir.LeastSeconds))
	}
	return t, note
}

// courseColumns are what is shown of a course, with rates in one unit.
func courseColumns(in BitScale) []document.Column[course] {
	return []document.Column[course]{
		{Heading: document.Heading{Head: "transfer"}, Text: func(c course) string { return c.Label }},
		{Heading: document.Heading{Head: "what", Words: true}, Text: func(c course) string { return c.Title }},
		{Heading: document.Heading{Head: "rate", Unit: in.Name}, Text: func(c course) string {
			if c.Unit != "bit/s" {
				return Missing
			}
			return in.Of(c.Value)
		}},
		{Heading: document.Heading{Head: "seconds", Unit: "least"}, Text: func(c course) string { return in.Of(c.Least) }},
		{Heading: document.Heading{Unit: "median"}, Text: func(c course) string { return in.Of(c.Median) }},
		{Heading: document.Heading{Head: "low", Unit: "%"}, Text: func(c course) string { return Percent(math.Round(c.Low*1000) / 1000) }},
		{Heading: document.Heading{Head: "peak", Unit: in.Name}, Text: func(c course) string {
			if c.Max <= peakLimit*c.Median {
				return Missing
			}
			return in.Of(c.Max)
		}},
		{Heading: document.Heading{Head: "flutter", Words: true}, Text: func(c course) string {
			switch {
			case c.Unstable:
				return "unstable"
			case c.Short:
				return "too short"
			}
			return ""
		}},
	}
}

// TrimmedJoin returns two texts with a space between, or the one that is there.
func TrimmedJoin(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// UnstablePlots show the rates of the transfers that fluctuated, second by
// second, of the seconds that count.
func UnstablePlots(list []course) []chart.Chart {
	var out []chart.Chart
	for _, c := range list {
		if !c.Unstable || len(out) == maxUnstable {
			continue
		}
		p := chart.Chart{Title: c.Title + ", " + c.Label, X: chart.Axis{Label: "second that counts", Plain: true}, Y: chart.Axis{Label: "bit/s"}}
		longest := 0
		for _, r := range c.Runs {
			if !unstable(r) || len(p.Series) == maxUnstableRuns {
				continue
			}
			line := chart.Series{Color: len(p.Series), Line: true, Dots: true}
			if r.Run.Number > 0 {
				line.Name = fmt.Sprintf("run %d", r.Run.Number)
			}
			for i, v := range r.Rates {
				line.Points = append(line.Points, chart.Point{X: float64(i + 1), Y: v, Tip: fmt.Sprintf("second %d: %s", i+1, BitRate(v))})
			}
			longest = max(longest, len(r.Rates))
			p.Series = append(p.Series, line)
		}
		p.Series = append(p.Series, chart.Series{Name: "median", Color: chart.Muted, Line: true, Dashed: true, Points: []chart.Point{{X: 0, Y: c.Median}, {X: float64(longest), Y: c.Median}}})
		out = append(out, p)
	}
	return out
}

// TransferPlots are the goodputs of transfers, a bar for each way and program.
func TransferPlots(s transferSet) []chart.Chart {
	c := chart.Chart{Title: "Goodput", X: chart.Axis{Categories: true, Min: -.5, Max: float64(len(s.Rows)) - .5}, Y: chart.Axis{Label: "bit/s"}}
	if len(s.Rows) > MaxBars || len(s.Columns) > chart.Palette {
		return nil // names would lie on top of each other; the table has the numbers
	}
	for y, row := range s.Rows {
		c.X.Ticks = append(c.X.Ticks, chart.Tick{Value: float64(y), Label: document.Proper(row)})
	}
	for x, column := range s.Columns {
		if column.Unit != "bit/s" {
			continue
		}
		bars := chart.Series{Name: s.title(x), Color: x, Bars: true}
		for y, row := range s.Rows {
			if one, there := s.cells[[2]int{y, x}]; there && one.Unmeasured == "" {
				bars.Points = append(bars.Points, chart.Point{X: float64(y), Y: one.Value, Tip: fmt.Sprintf("%s, %s: %s", s.title(x), row, BitRate(one.Value)), Mark: BitRate(one.Value)})
			}
		}
		c.Series = append(c.Series, bars)
	}
	return []chart.Chart{c}
}
