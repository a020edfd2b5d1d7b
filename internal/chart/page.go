package chart

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
)

var (
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string
	//go:embed uplot/uPlot.min.css
	uplotStyle string
	//go:embed uplot/uPlot.iife.min.js
	uplotScript string
)

// Style is what figures look like, for the head of a page. The page gives the
// colours as custom properties: --c0 to --c5 of series, --muted, --ink, --soft,
// --grid, --line and --card.
func Style() template.CSS { return template.CSS(uplotStyle + style) }

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
