package chart

import (
	"fmt"
	"hash/fnv"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// kindFill is the colour of a function: that of its kind, in one of a few
// shades, so that neighbours can be distinguished.
func kindFill(n *flameNode) string {
	color := "--c1"
	switch {
	case strings.HasPrefix(n.name, "("): // no function: "(idle)", "(user)"
		color = "--muted"
	case strings.HasPrefix(n.name, "["): // a program or thread: "[napi]"
		color = "--c5"
	case strings.HasPrefix(n.name, "bpf:"):
		color = "--c2"
	}
	// From 46 % of the darkest on, names could not be read by night (WCAG 2.1, 1.4.3).
	h := fnv.New32a()
	h.Write([]byte(n.name))
	return mixed(color, 31+4*float64(h.Sum32()%4))
}

// changeFill is the colour of a change of share, of which the largest is given.
func changeFill(change, largest float64) string {
	part := 0.
	if largest > 0 {
		part = math.Abs(change) / largest
	}
	color := "--c1"
	if change < 0 {
		color = "--c0"
	}
	if part < .01 {
		return "var(--grid)"
	}
	return mixed(color, 8+44*part)
}

// mixed is a colour of the page's palette, so much of it in percent upon the
// page's own, by day and by night.
func mixed(color string, percent float64) string {
	return fmt.Sprintf("color-mix(in srgb,var(%s) %.0f%%,var(--card))", color, percent)
}

// What of a profile that the other one has nothing of is listed.
const (
	goneMost  = 8
	goneLeast = .005 // of its samples
)

// gone lists what a profile called that another one did not, the most first; ""
// when there is nothing. What lies above a function in the list is not listed.
func gone(before, after *flameNode) template.HTML {
	var lost []*flameNode
	missed(before, after, func(n *flameNode) {
		if float64(n.total) >= goneLeast*float64(before.total) {
			lost = append(lost, n)
		}
	})
	if len(lost) == 0 {
		return ""
	}
	slices.SortStableFunc(lost, func(a, b *flameNode) int { return int(b.total) - int(a.total) })
	var words []string
	for _, n := range lost[:min(len(lost), goneMost)] {
		words = append(words, fmt.Sprintf("%s %s", html.EscapeString(n.name), percent(n.total, before.total)))
	}
	return template.HTML(`<p class="note">Before, and no longer called there: ` + strings.Join(words, ", ") + ".</p>")
}

// missed visits the functions of a tree that another one does not have in the
// same place.
func missed(before, after *flameNode, visit func(*flameNode)) {
	for _, c := range before.children {
		if at, found := after.find(c.name); found {
			missed(c, after.children[at], visit)
		} else {
			visit(c)
		}
	}
}
