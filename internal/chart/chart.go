// Package chart draws charts and flame graphs as SVG for a page, whose style
// sheet has their colours and fonts. It does not know what is worth drawing:
// that, and the words beside it, come from whoever has the numbers.
package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// A Chart is a plot of series over two axes.
type Chart struct {
	Title  string // for those who cannot see it
	X, Y   Axis
	Series []Series
	Rules  []float64 // places of upright lines on the X axis
}

// A Series is a number of points that belong together. Without Line, Bars or
// Dots nothing of it is seen.
type Series struct {
	Name   string // in the legend; "" keeps it out of there
	Color  int    // of the palette, which gives the shape of the dots too; Muted is for references
	Line   bool
	Dashed bool // of the line
	Dots   bool
	Bars   bool   // from 0 up, beside those of other series at the same x
	Faint  bool   // its points are many, and only a background
	Band   bool   // the intervals of its points are one area
	Start  string // label at the first point
	End    string // label at the last point
	Points []Point
}

// Muted is the colour of what is there for comparison only.
const Muted = -1

// Palette is the number of colours that the style sheet has.
const Palette = 6

// A Point is a value of a series.
type Point struct {
	X, Y float64
	Tip  string // shown when the pointer rests on the dot or bar
	Mark string // shown above the bar

	Hollow    bool    // it does not count
	Low, High float64 // of an interval around Y, which is drawn where they differ
}

// Room around the plot, and the width of its letters, in SVG units.
const (
	charWidth  = 6.4 // on the average
	chartTop   = 34
	chartBelow = 40
	chartRight = 14
	tickGap    = 7
)

// SVG draws the chart.
func (c Chart) SVG(width, height float64) template.HTML {
	x, y := c.X, c.Y
	for _, s := range c.Series {
		for _, p := range s.Points {
			if x.shows(p.X) && y.shows(p.Y) {
				x.include(p.X)
				y.include(p.Y)
				if p.Low < p.High {
					y.include(p.Low)
					y.include(p.High)
				}
			}
		}
	}
	y.settle(max(int((height-chartTop-chartBelow)/38), 2))
	left := 12.0
	for _, t := range y.Ticks {
		left = max(left, float64(len([]rune(t.Label)))*charWidth+tickGap+4)
	}
	x.settle(max(int((width-left-chartRight)/62), 2))
	x.from, x.to = left, width-chartRight
	y.from, y.to = height-chartBelow, chartTop

	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">`, width, height, html.EscapeString(c.Title))
	c.drawAxes(&b, x, y)
	bars, bar := 0, 0
	for _, s := range c.Series {
		if s.Bars {
			bars++
		}
	}
	for _, s := range c.Series {
		if s.Bars {
			s.drawBars(&b, x, y, bar, bars)
			bar++
		}
		s.drawFaint(&b, x, y)
		s.drawBand(&b, x, y)
		s.drawLine(&b, x, y)
		s.drawIntervals(&b, x, y)
		s.drawDots(&b, x, y)
		s.drawLabels(&b, x, y)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// Empty reports whether there is nothing to see besides references.
func (c Chart) Empty() bool {
	return !slices.ContainsFunc(c.Series, func(s Series) bool { return s.Color != Muted && len(s.Points) > 0 })
}

// drawAxes draws grid lines, ticks and labels. The label of the upright axis
// lies above it, where it can be read without turning the head.
func (c Chart) drawAxes(b *strings.Builder, x, y Axis) {
	for _, t := range y.Ticks {
		at := y.at(t.Value)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x.from, x.to, at, at)
		label(b, "tick", "end", x.from-tickGap, at+4, t.Label)
	}
	for _, at := range c.Rules {
		fmt.Fprintf(b, `<line class="rule" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x.at(at), x.at(at), y.from, y.to)
	}
	base := y.from
	fmt.Fprintf(b, `<line class="axis" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x.from, x.to, base, base)
	for _, t := range x.fitting() {
		at := x.at(t.Value)
		if !x.Categories {
			fmt.Fprintf(b, `<line class="axis" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, at, at, base, base+4)
		}
		label(b, "tick", "middle", x.labelAt(t), base+17, t.Label)
	}
	label(b, "name", "start", 0, 12, y.Label)
	label(b, "name", "end", x.to, base+34, x.Label)
}

// Legend lists the named series; empty when there is none.
func (c Chart) Legend() template.HTML {
	var b strings.Builder
	for _, s := range c.Series {
		if s.Name == "" {
			continue
		}
		fmt.Fprintf(&b, `<span class="key"><svg class="swatch" viewBox="0 0 26 14" aria-hidden="true">`)
		if s.Line {
			fmt.Fprintf(&b, `<line class="%s" x1="1" x2="25" y1="7" y2="7"/>`, s.class("line"))
		}
		if s.Bars {
			fmt.Fprintf(&b, `<rect class="%s" x="7" y="1" width="12" height="12" rx="2"/>`, s.class("bar"))
		}
		if !s.Bars && s.Color != Muted {
			b.WriteString(s.dot(13, 7, ""))
		}
		fmt.Fprintf(&b, "</svg>%s</span>", html.EscapeString(s.Name))
	}
	return template.HTML(b.String())
}

func label(b *strings.Builder, class, anchor string, x, y float64, text string) {
	if text != "" {
		fmt.Fprintf(b, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, class, anchor, x, y, html.EscapeString(text))
	}
}

// finite reports whether v is a number that can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
