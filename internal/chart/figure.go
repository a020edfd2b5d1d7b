package chart

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Size of the picture for narrow places, in SVG units.
const narrowWidth, narrowHeight = 330, 290

// maxRows is the most points that a table of numbers lists.
const maxRows = 1000

// HTML is a figure of the chart: its title, its legend, a picture of a size and
// one for narrow places, and its numbers, for the page's Script too. It fills
// the width of the place that it is put in; Style has what it looks like.
func (c Chart) HTML(width, height float64) template.HTML {
	c = c.placed()
	var b strings.Builder
	b.WriteString(`<figure class="plot">`)
	if c.Title != "" {
		fmt.Fprintf(&b, "<figcaption>%s</figcaption>", html.EscapeString(c.Title))
	}
	if legend := c.legend(); legend != "" {
		fmt.Fprintf(&b, `<p class="legend">%s</p>`, legend)
	}
	fmt.Fprintf(&b, `<div class="drawing"><div class="wide">%s</div><div class="narrow">%s</div></div>%s%s</figure>`,
		c.svg(width, height), c.svg(narrowWidth, narrowHeight), c.data(width, height), c.numbers())
	return template.HTML(b.String())
}

// legend lists the named series; "" when there is none.
func (c Chart) legend() string {
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
			b.WriteString(s.dot(13, 7, Point{}))
		}
		fmt.Fprintf(&b, "</svg>%s</span>", html.EscapeString(s.Name))
	}
	return b.String()
}

// numbers is a folded table of the points, but for references and those that are
// only a background.
func (c Chart) numbers() string {
	var rows [][]string
	interval, hollow, faint := false, false, 0
	for _, s := range c.Series {
		if s.Faint {
			faint += len(s.Points)
		}
		if s.Faint || s.Color == Muted {
			continue
		}
		for _, p := range s.Points {
			row := []string{c.called(s), c.X.written(p.X), c.Y.written(p.Y), "", "", ""}
			if p.Low < p.High {
				row[3], row[4], interval = c.Y.written(p.Low), c.Y.written(p.High), true
			}
			if p.Hollow {
				row[5], hollow = "does not count", true
			}
			rows = append(rows, row)
		}
	}
	var left []string
	if n := len(rows) - maxRows; n > 0 {
		left, rows = append(left, fmt.Sprintf("more points (%d)", n)), rows[:maxRows]
	}
	if faint > 0 {
		left = append(left, fmt.Sprintf("faint points (%d)", faint))
	}
	named := slices.ContainsFunc(rows, func(row []string) bool { return row[0] != "" })
	shown := []bool{named, true, true, interval, interval, hollow}
	var b strings.Builder
	b.WriteString(`<details class="numbers"><summary>The numbers</summary><div class="scroll" tabindex="0"><table><thead><tr>`)
	writeCells(&b, "th", shown, []string{"series", cmp.Or(c.X.Label, "at"), c.Y.Label, "from", "to", "note"})
	b.WriteString("</tr></thead><tbody>")
	for _, row := range rows {
		b.WriteString("<tr>")
		writeCells(&b, "td", shown, row)
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table></div>")
	if len(left) > 0 {
		fmt.Fprintf(&b, `<p class="note">Not listed: %s.</p>`, strings.Join(left, ", "))
	}
	b.WriteString("</details>")
	return b.String()
}

// writeCells writes the cells of a row that are shown.
func writeCells(b *strings.Builder, element string, shown []bool, cells []string) {
	for i, cell := range cells {
		if shown[i] {
			fmt.Fprintf(b, "<%s>%s</%s>", element, html.EscapeString(cell), element)
		}
	}
}

// called is what a series is called where it has no name of its own: by its
// labels, or as the one whose colour it has.
func (c Chart) called(s Series) string {
	if i := slices.IndexFunc(c.Series, func(o Series) bool { return o.Name != "" && o.Color == s.Color }); s.Name == "" && i >= 0 {
		s.Name = c.Series[i].Name
	}
	return cmp.Or(s.Name, s.Start, s.End)
}

// written is a value in a table.
func (a Axis) written(v float64) string {
	if a.Percentiles {
		return percentile(v)
	}
	if a.Categories {
		at := func(t Tick) float64 { return math.Abs(t.Value - v) }
		if len(a.Ticks) > 0 {
			return slices.MinFunc(a.Ticks, func(s, t Tick) int { return cmp.Compare(at(s), at(t)) }).Label
		}
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
