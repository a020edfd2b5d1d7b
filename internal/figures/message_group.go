package figures

import "weir"

// A MessageGroup is what several sentences say that differ in figures only, with the rows that
// they are about.
type MessageGroup struct {
	About  []string
	at     string // sentences of other places are apart
	first  weir.Sentence
	more   int   // sentences alike beside the first
	ranges []any // of the figures of all
}

// MessageGroups are sentences, each once.
type MessageGroups []*MessageGroup

// find returns the group of a sentence at a place; nil where there is none.
func (l MessageGroups) find(at string, s weir.Sentence) *MessageGroup {
	for _, g := range l {
		if g.at == at && g.first.Alike(s) {
			return g
		}
	}
	return nil
}

// Add adds a sentence of a place that is about a row, and reports whether its group was there.
func (l *MessageGroups) Add(at string, s weir.Sentence, about string) (g *MessageGroup, there bool) {
	if g = l.find(at, s); g == nil {
		g = &MessageGroup{About: []string{about}, at: at, first: s, ranges: s.Ranges()}
		*l = append(*l, g)
		return g, false
	}
	g.About = With(g.About, about)
	g.more++
	if s.Format != g.first.Format || len(s.Args) != len(g.ranges) {
		return g, true // of another version of weir: the text is the same, and all that there is
	}
	for i, v := range s.Args {
		if was, ok := g.ranges[i].(weir.Range); ok {
			g.ranges[i] = was.Widen(v)
		}
	}
	return g, true
}

// Text returns what all of them say.
func (g *MessageGroup) Text() string { return joined(g.first, g.more, g.ranges) }
