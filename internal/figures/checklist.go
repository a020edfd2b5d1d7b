package figures

import (
	"weir"
	"weir/internal/document"
)

// A demandLine is one line of a claim's checklist.
type demandLine struct {
	weir.Demand
	State string // "yes", "no", or "beside": not kept, and no name depends on it
}

// Lines are the demands of a claim with what became of them.
func (e Earned) Lines() []demandLine {
	var out []demandLine
	for _, d := range e.Demands {
		line := demandLine{d, "beside"}
		switch {
		case d.Kept:
			line.State = "yes"
		case e.Misses(d):
			line.State = "no"
		}
		out = append(out, line)
	}
	return out
}

// DemandColumns are those of a checklist.
var DemandColumns = []document.Column[demandLine]{
	{Heading: document.Heading{Head: "kept"}, Text: func(d demandLine) string { return d.State }},
	{Heading: document.Heading{Head: "level", Words: true}, Text: func(d demandLine) string { return string(d.Level) }},
	{Heading: document.Heading{Head: "demand", Words: true}, Text: func(d demandLine) string { return d.Text }},
	{Heading: document.Heading{Head: "found", Words: true}, Text: func(d demandLine) string { return d.Found }},
	{Heading: document.Heading{Head: "source", Words: true}, Text: func(d demandLine) string { return d.Source }},
}
