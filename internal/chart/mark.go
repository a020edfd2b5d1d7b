package chart

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// class is the class of a mark and of its colour.
func (s Series) class(mark string) string {
	if s.Dashed {
		mark += " dashed"
	}
	return mark + " " + s.colour()
}

// colour is what the style sheet calls the series' colour.
func (s Series) colour() string {
	if s.Color == Muted {
		return "muted"
	}
	return fmt.Sprintf("c%d", s.Color%Palette)
}

func (s Series) drawLine(b *strings.Builder, x, y Axis) {
	if !s.Line {
		return
	}
	var path strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&path, "%.1f,%.1f ", x.at(p.X), y.at(p.Y))
	}
	fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`, s.class("line"), strings.TrimSpace(path.String()))
}

func (s Series) drawDots(b *strings.Builder, x, y Axis) {
	if !s.Dots {
		return
	}
	for _, p := range s.Points {
		b.WriteString(s.dot(x.at(p.X), y.at(p.Y), p))
	}
}

// drawIntervals draws a bar from the low to the high end of each interval, with
// a stroke across at the estimate.
func (s Series) drawIntervals(b *strings.Builder, x, y Axis) {
	if s.Band {
		return
	}
	const half = 7 // of the stroke
	for _, p := range s.Points {
		if p.Low >= p.High {
			continue
		}
		at := x.at(p.X)
		fmt.Fprintf(b, `<g class="%s"><title>%s</title><line class="span" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><line class="mean" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/></g>`,
			s.class("interval"), html.EscapeString(p.Tip), at, at, y.at(p.Low), y.at(p.High), at-half, at+half, y.at(p.Y), y.at(p.Y))
	}
}

// drawFaint draws points as one path, as they may be thousands.
func (s Series) drawFaint(b *strings.Builder, x, y Axis) {
	if !s.Faint {
		return
	}
	var path strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&path, "M%.1f %.1fh0", x.at(p.X), y.at(p.Y))
	}
	fmt.Fprintf(b, `<path class="%s" d="%s"/>`, s.class("faint"), path.String())
}

// drawBand draws the intervals of all points that have one as one area.
func (s Series) drawBand(b *strings.Builder, x, y Axis) {
	if !s.Band {
		return
	}
	var above, below []string
	for _, p := range s.Points {
		if p.Low <= p.Y && p.Y <= p.High {
			above = append(above, fmt.Sprintf("%.1f,%.1f", x.at(p.X), y.at(p.High)))
			below = append(below, fmt.Sprintf("%.1f,%.1f", x.at(p.X), y.at(p.Low)))
		}
	}
	slices.Reverse(below)
	fmt.Fprintf(b, `<polygon class="%s" points="%s"/>`, s.class("band"), strings.Join(append(above, below...), " "))
}

// shapes are those of dots, around their places; they distinguish series without
// colours.
var shapes = [...]string{
	"m-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0-8.8 0z", // circle
	"m0-5.2l5.2 5.2l-5.2 5.2l-5.2-5.2z",                // diamond
	"m-4-4h8v8h-8z",                                    // square
	"m0-5l5 8.6h-10z",                                  // triangle
	"m0 5l5-8.6h-10z",                                  // triangle, upside down
}

func (s Series) shape() string {
	if at := s.Color % Palette; at > 0 && at < len(shapes) {
		return shapes[at]
	}
	return shapes[0]
}

// dot is the mark of a point at a place.
func (s Series) dot(x, y float64, p Point) string {
	class := "dot"
	if p.Hollow {
		class += " hollow"
	}
	path := fmt.Sprintf(`<path class="%s" d="M%.1f %.1f%s"`, s.class(class), x, y, s.shape())
	if p.Tip == "" {
		return path + "/>"
	}
	return fmt.Sprintf("%s><title>%s</title></path>", path, html.EscapeString(p.Tip))
}

// drawBars draws the bars of the i-th of n series.
func (s Series) drawBars(b *strings.Builder, x, y Axis, i, n int) {
	slot := x.at(1) - x.at(0)
	width := min(slot*.76/float64(n), 44)
	for _, p := range s.Points {
		left := x.at(p.X) + (float64(i)-float64(n)/2)*width
		top := y.at(p.Y)
		fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2"><title>%s</title></rect>`,
			s.class("bar"), left+1, top, width-2, y.from-top, html.EscapeString(p.Tip))
		if float64(len([]rune(p.Mark)))*charWidth < width {
			label(b, "mark", "middle", left+width/2, top-5, p.Mark)
		}
	}
}

func (s Series) drawLabels(b *strings.Builder, x, y Axis) {
	first, last := s.Points[0], s.Points[len(s.Points)-1]
	label(b, "end "+s.class(""), "start", x.at(first.X)+6, y.at(first.Y)-5, s.Start)
	label(b, "end "+s.class(""), "end", x.at(last.X), y.at(last.Y)-9, s.End)
}
