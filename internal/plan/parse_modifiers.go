package plan

import (
	"cmp"
	"slices"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

// plainLevel is the name of the level that changes nothing.
const plainLevel = "plain"

// variation says how a field is varied: among the modifiers of a plan, and among its factors.
type variation struct {
	rfc      string // that has it, with the section
	modifier string // as one is written: a word that needs no value, or "{filters: 25}"; "": it is none
	levels   string // of a factor, as they are written: "[none, stateful]"; "": "[...]"
}

// varies says how the field is varied.
func (f field) varies(v variation) field {
	f.vary = v
	return f
}

// summary says what the field is, in a clause for a terminal that has its RFC already.
func (f field) summary() string {
	return strings.NewReplacer(" ("+f.vary.rfc+")", "", " by "+f.vary.rfc, " by the RFC").Replace(schema.Brief(f.doc.Means))
}

// Modifier is what can be put among the modifiers of a plan.
type Modifier struct {
	Written string // "{filters: 25}"
	RFC     string // that has it, with the section
	Summary string
}

// variable are the fields whose values a plan may vary: those of a DUT's condition, and of what
// is sent.
func variable() []field {
	var r reader
	return append(r.conditionFields(node{}, &weir.Condition{}), new(sending).fields()...)
}

// Modifiers are the conditions under which everything can be measured, each as
// a run of its own (RFC 2544 section 11).
func Modifiers() []Modifier {
	var out []Modifier
	for _, f := range variable() {
		if f.vary.modifier != "" {
			out = append(out, Modifier{f.vary.modifier, f.vary.rfc, f.summary()})
		}
	}
	slices.SortStableFunc(out, func(a, b Modifier) int { // those of no RFC are last
		return strings.Compare(cmp.Or(a.RFC, "~"), cmp.Or(b.RFC, "~"))
	})
	return append([]Modifier{{plainLevel, "RFC 2544 section 11", "as the plan has it, without any"}}, out...)
}

// bare are the modifiers that need no value.
func bare() []string {
	return []string{plainLevel, "broadcast", "management", "updates", "bidirectional"}
}

// modifiersShape describes modifiers.
func (r *reader) modifiersShape() schema.Shape {
	fields := append(r.conditionDescribed(), described(new(sending).fields())...)
	fields = append(fields, schema.Described{Key: "name", Shape: schema.Line.Shape, Means: "how reports call the level"})
	return schema.ListOf(schema.Either(schema.Choice(bare()...), schema.Object("a modifier", fields...),
		schema.Object("a modifier with a name", schema.Described{Key: "name", Shape: schema.Line.Shape, Needed: true}, schema.Described{Key: "level", Shape: schema.Anything, Needed: true}),
	).Call("level"))
}

// usualBroadcast is the share of frames to the broadcast address of RFC 2544
// section 11.1.
const usualBroadcast = 0.01

// levels reads the modifiers; without any there is one level, the plain one.
func (r *reader) levels(n node, s sending, c weir.Condition, sizes []size) []Level {
	for i, z := range sizes {
		if z.name != "" && slices.ContainsFunc(sizes[:i], func(o size) bool { return o.name == z.name }) {
			r.wrong(z.at, "%s is there twice: each size or mix is measured once", z.name)
		}
	}
	if n.kind == empty {
		return []Level{{Name: plainLevel, Traffic: r.sized(s, c, sizes, nil), Condition: c}}
	}
	s.most = mostPairs(n, s.Pairs)
	var out []Level
	r.list(n, "modifiers", func(n node) {
		from := &origin{n, s, c}
		if n.kind == scalar && n.text == plainLevel {
			from = nil // what is wrong then is wrong with the sizes
		}
		before := len(r.mistakes)
		l, changed := r.level(n, s, c)
		if slices.ContainsFunc(out, func(o Level) bool { return o.Name == l.Name }) {
			r.wrong(n, "%s is there twice: each level is measured once", l.Name)
		}
		if len(r.mistakes) == before {
			l.Traffic = r.sized(changed, l.Condition, sizes, from)
		}
		out = append(out, l)
	})
	if len(out) > mostLevels {
		r.wrong(n, "%d levels are too many for one plan: at most %d", len(out), mostLevels)
	}
	return out
}

// mostPairs is how many pairs of ports any of the modifiers asks for, or else
// the traffic. What is wrong with one is reported where it is read.
func mostPairs(n node, most int) int {
	for _, item := range n.items {
		if pairs, ok := item.find("pairs"); ok {
			if v, err := schema.Int.Read(pairs.text); err == nil && v <= frame.MaxPairs {
				most = max(most, v)
			}
		}
	}
	return most
}

// level reads one modifier, or several that hold together. What it does not
// name stays as the plan has it.
func (r *reader) level(n node, s sending, c weir.Condition) (Level, sending) {
	n, name := named(n)
	l := Level{Name: cmp.Or(name, inOneLine(n)), Condition: c}
	if n.kind != object {
		switch word := r.word(n, "a modifier"); word {
		case "", plainLevel:
		case "broadcast":
			s.Broadcast = usualBroadcast
		case "management":
			l.Condition.Put(weir.Management(true))
		case "updates":
			l.Condition.Put(weir.Updates(true))
		case "bidirectional":
			s.Bidirectional = true
		default:
			valued := names(append(r.conditionFields(n, &l.Condition), s.fields()...))
			if slices.Contains(valued, word) {
				r.wrong(n, "%s needs a value: {%s: ...}; weir list modifiers shows which", word, word)
			} else {
				r.wrong(n, "unknown modifier %q%s", word, didYouMean(word, append(bare(), valued...)))
			}
		}
		return l, s
	}
	r.object(n, "a modifier", append(r.conditionFields(n, &l.Condition), s.fields()...)...)
	return l, s
}

// inOneLine returns what was written, on one line: "filters 25, burst 16".
func inOneLine(n node) string {
	var parts []string
	switch n.kind {
	case scalar:
		return n.text
	case list:
		for _, item := range n.items {
			parts = append(parts, inOneLine(item))
		}
		return strings.Join(parts, "+")
	case object:
		for _, e := range n.entries {
			value := inOneLine(e.value)
			if e.value.kind == object {
				value = "(" + value + ")"
			}
			parts = append(parts, e.key.text+" "+value)
		}
	}
	return strings.Join(parts, ", ")
}
