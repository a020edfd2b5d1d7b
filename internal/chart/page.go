package chart

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"strings"
)

var (
	//go:embed chart.css
	style string
	//go:embed colors.css
	colors string
	//go:embed chart.js
	script string
	//go:embed uplot/uPlot.min.css
	uplotStyle string
	//go:embed uplot/uPlot.iife.min.js
	uplotScript string
)

// Colors has the colours of figures as custom properties, for the head of a page, which may
// use and change them: --c0 to --c5 of series, --muted, --ink, --soft, --grid, --line, --card and
// more. Dark screens have others.
func Colors() template.CSS { return template.CSS(colors) }

// Style is what figures look like, for the head of a page that has Colors.
func Style() template.CSS { return template.CSS(uplotStyle + style) }

// SVG returns a picture of the chart as a file of its own, with its title.
func (c Chart) SVG(width, height float64) string {
	const title = 30 // height of the title
	c = c.placed()
	picture := strings.Replace(c.svg(width, height), "<svg ", fmt.Sprintf(`<svg y="%d" width="%g" height="%g" `, title, width, height), 1)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g"><style>%s%s svg { font-family: system-ui, sans-serif; }</style>`+
		`<rect width="100%%" height="100%%" fill="var(--card)"/><text x="12" y="20" font-size="15" font-weight="600" fill="var(--ink)">%s</text>%s</svg>`,
		width, height+title, width, height+title, colors, style, html.EscapeString(c.Title), picture)
}

// Script lets the reader zoom into the charts of a page and ask for their
// values: uPlot, and what gives it the numbers. It is for the head of a page
// that has charts; without it they are pictures.
func Script() template.JS { return template.JS(uplotScript + script) }

// A drawn series is one with all that the script needs to draw it.
type drawn struct {
	Series
	Ink   string `json:"ink"` // the custom property of its colour
	Shape string `json:"shape"`
}

// data is the chart for the script, with the range that its picture of a size has.
func (c Chart) data(width, height float64) string {
	x, y := c.axes(width, height)
	if !x.Log {
		x.Ticks = c.X.Ticks
	}
	y.Ticks = c.Y.Ticks
	c.X, c.Y = x, y
	all := struct {
		Chart
		Series []drawn `json:"series"`
	}{Chart: c}
	for _, s := range c.Series {
		all.Series = append(all.Series, drawn{s, "--" + s.colour(), s.shape()})
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "" // never: all numbers are finite
	}
	return fmt.Sprintf(`<script type="application/json">%s</script>`, text)
}
