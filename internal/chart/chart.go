// Package chart draws charts and flame graphs for a page, whose style sheet has
// the colours and the font. It does not know what is worth drawing: that, and
// the words next to it, come from whoever has the numbers.
package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// A Chart is a plot of series over two axes.
type Chart struct {
	Title  string    `json:"-"` // "" where the page has it above the chart
	X      Axis      `json:"x"`
	Y      Axis      `json:"y"`
	Series []Series  `json:"series"`
	Rules  []float64 `json:"rules,omitempty"` // places of upright lines on the X axis
}

// A Series is a number of points that belong together. Without Line, Bars, Dots,
// Faint or Band nothing of it is seen but intervals and labels.
type Series struct {
	Name   string  `json:"name,omitempty"` // in the legend; "" keeps it out of there
	Color  int     `json:"color"`          // of the palette, which gives the shape of the dots too; Muted is for references
	Line   bool    `json:"line,omitempty"`
	Dashed bool    `json:"dashed,omitempty"` // of the line
	Dots   bool    `json:"dots,omitempty"`
	Bars   bool    `json:"bars,omitempty"`  // from 0 up, next to those of other series at the same x
	Faint  bool    `json:"faint,omitempty"` // its points are many, and only a background
	Band   bool    `json:"band,omitempty"`  // the intervals of its points are one area
	Start  string  `json:"start,omitempty"` // label at the first point
	End    string  `json:"end,omitempty"`   // label at the last point
	Points []Point `json:"points"`
}

// Muted is the colour of what is there for comparison only.
const Muted = -1

// Palette is the number of colours that the style sheet has.
const Palette = 6

// A Point is a value of a series.
type Point struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Tip    string  `json:"tip,omitempty"`    // shown when the pointer rests on the dot or bar
	Mark   string  `json:"mark,omitempty"`   // shown above the bar
	Hollow bool    `json:"hollow,omitempty"` // it does not count
	Low    float64 `json:"low,omitempty"`    // of an interval around Y, which is drawn where Low and High differ
	High   float64 `json:"high,omitempty"`
}

// Empty reports whether there is nothing to see but references.
func (c Chart) Empty() bool {
	return !slices.ContainsFunc(c.Series, func(s Series) bool { return s.Color != Muted && len(s.Points) > 0 })
}

// name is what a chart is called for those who cannot see it.
func (c Chart) name() string { return cmp.Or(c.Title, c.Y.Label+" over "+c.X.Label) }

// placed is the chart with the points that have a place on its axes, and the
// series that have any. Numbers are rounded, as no eye distinguishes them.
func (c Chart) placed() Chart {
	var out []Series
	for _, s := range c.Series {
		var points []Point
		for _, p := range s.Points {
			if !c.X.shows(p.X) || !c.Y.shows(p.Y) {
				continue
			}
			if !c.Y.shows(p.Low) || !c.Y.shows(p.High) {
				p.Low, p.High = 0, 0
			}
			p.X, p.Y, p.Low, p.High = rounded(p.X), rounded(p.Y), rounded(p.Low), rounded(p.High)
			points = append(points, p)
		}
		if s.Points = points; len(points) > 0 {
			out = append(out, s)
		}
	}
	c.Series = out
	return c
}

// finite reports whether v is a number that can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// rounded is v to seven digits.
func rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	return r
}
