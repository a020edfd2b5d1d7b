package chart

import (
	"fmt"
	"html"
	"strings"
)

// Room around the plot, and the width of its letters, in SVG units.
const (
	charWidth  = 6.4 // on the average
	chartTop   = 34
	chartBelow = 40
	chartRight = 14
	tickGap    = 7
)

// axes are those of a picture of a size, as wide as the points need them.
func (c Chart) axes(width, height float64) (x, y Axis) {
	x, y = c.X, c.Y
	for _, s := range c.Series {
		for _, p := range s.Points {
			x.include(p.X)
			y.include(p.Y)
			if p.Low < p.High {
				y.include(p.Low)
				y.include(p.High)
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
	return x, y
}

// svg draws the chart as a picture.
func (c Chart) svg(width, height float64) string {
	x, y := c.axes(width, height)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">`, width, height, html.EscapeString(c.name()))
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
	return b.String()
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

func label(b *strings.Builder, class, anchor string, x, y float64, text string) {
	if text != "" {
		fmt.Fprintf(b, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, class, anchor, x, y, html.EscapeString(text))
	}
}
