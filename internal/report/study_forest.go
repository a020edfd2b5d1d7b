package report

import (
	"fmt"
	"html"
	"html/template"
	"math"

	"weir/internal/proof"
)

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

// picture is the interval of an effect beside the line of no difference.
func (l led) picture(low, high float64) template.HTML {
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
