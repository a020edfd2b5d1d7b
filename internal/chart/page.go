package chart

import (
	_ "embed"
	"html/template"
)

//go:embed chart.css
var style string

// Style is what figures look like, for the head of a page. The page gives the
// colours as custom properties: --c0 to --c5 of series, --muted, --ink, --soft,
// --grid and --card.
func Style() template.CSS { return template.CSS(style) }
