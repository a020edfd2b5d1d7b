package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"weir"
)

// Flame draws a profile as stacks of functions: the width of each is its
// share of the samples, and what it called lies above it. Names and shares are
// shown when the pointer rests on a function. It is "" of a profile without
// samples.
func Flame(p weir.Profile, width int) template.HTML {
	root := flameTree(p)
	if root.total == 0 {
		return ""
	}
	f := flame{width: float64(width), total: root.total, fill: kindFill}
	f.tip = func(n *flameNode) string {
		return fmt.Sprintf("%s: %s of %s samples, %s in itself", n.name, f.share(n.total), grouped(f.total), f.share(n.self))
	}
	return f.svg(root, "Flame graph: where the CPUs spent their time")
}

// FlameDiff draws the second profile like Flame. The colour of a function
// says how its share differs from that in the first one: more is warm, less is
// cold. What the second one has nothing of is listed below it.
func FlameDiff(a, b weir.Profile, width int) template.HTML {
	before, after := flameTree(a), flameTree(b)
	if before.total == 0 || after.total == 0 {
		return ""
	}
	pair(before, after)
	change := func(n *flameNode) float64 {
		return float64(n.total)/float64(after.total) - float64(n.before)/float64(before.total)
	}
	largest := 0.
	after.walk(func(n *flameNode) { largest = math.Max(largest, math.Abs(change(n))) })
	f := flame{width: float64(width), total: after.total}
	f.fill = func(n *flameNode) string { return changeFill(change(n), largest) }
	f.tip = func(n *flameNode) string {
		return fmt.Sprintf("%s: %s of the samples, before %s, change %s points", n.name, f.share(n.total),
			percent(n.before, before.total), signed(100*change(n)))
	}
	return f.svg(after, "Differential flame graph: where the CPUs spent more of their time, and where less") + gone(before, after)
}

// Sizes in SVG units.
const (
	flameRow   = 18     // height of a function
	flameThin  = .5     // what is thinner is left out
	flameChar  = 6.8    // mean width of a letter
	flameInset = 4.0    // room around a name
	flameFont  = "11px" // of names
)

// flame draws a tree of functions.
type flame struct {
	width float64
	total uint64 // samples that make up the width
	fill  func(*flameNode) string
	tip   func(*flameNode) string
}

// svg draws the functions that a tree's root called; the root itself stands for
// all of them.
func (f flame) svg(root *flameNode, title string) template.HTML {
	height := float64(flameRow * f.rows(root))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="flame" viewBox="0 0 %g %g" role="img" aria-label="%s" width="100%%" font-size="%s" fill="var(--ink)">`,
		f.width, height, html.EscapeString(title), flameFont)
	f.draw(&b, root, 0, height)
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// rows is how many functions lie above each other at most above n.
func (f flame) rows(n *flameNode) int {
	most := 0
	for _, c := range n.children {
		if f.wide(c.total) >= flameThin {
			most = max(most, 1+f.rows(c))
		}
	}
	return most
}

func (f flame) wide(samples uint64) float64 { return f.width * float64(samples) / float64(f.total) }

// share is a number of samples in percent of all.
func (f flame) share(samples uint64) string {
	return percent(samples, f.total)
}

// draw draws what n called, from x on, above the line at base.
func (f flame) draw(b *strings.Builder, n *flameNode, x, base float64) {
	for _, c := range n.children {
		w := f.wide(c.total)
		if w >= flameThin {
			fmt.Fprintf(b, `<g><title>%s</title><rect x="%.1f" y="%g" width="%.1f" height="%d" rx="2" fill="%s"/>`,
				html.EscapeString(f.tip(c)), x, base-flameRow, math.Max(w-.6, .4), flameRow-1, f.fill(c))
			if name := fitted(c.name, w); name != "" {
				fmt.Fprintf(b, `<text x="%.1f" y="%g">%s</text>`, x+flameInset, base-5.5, html.EscapeString(name))
			}
			b.WriteString("</g>")
			f.draw(b, c, x, base-flameRow)
		}
		x += w
	}
}

// fitted is as much of a name as has room; "" when that is not enough to
// distinguish names.
func fitted(name string, width float64) string {
	letters := []rune(name)
	room := int((width - 2*flameInset) / flameChar)
	switch {
	case len(letters) <= room:
		return name
	case room < 4:
		return ""
	}
	return string(letters[:room-1]) + "…"
}

// signed is v with its sign, to a tenth.
func signed(v float64) string {
	if math.Abs(v) < .05 {
		return "0.0"
	}
	return fmt.Sprintf("%+.1f", v)
}

// percent returns a part of a total in percent, to a tenth.
func percent(part, total uint64) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(total))
}

// grouped is n with commas between thousands.
func grouped(n uint64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
