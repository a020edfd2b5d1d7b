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

// Modifier is what can be put among the modifiers of a plan.
type Modifier struct {
	Written string // "{filters: 25}"
	RFC     string // that has it, with the section
	Summary string
}

// Modifiers are the conditions under which everything can be measured, each as
// a run of its own (RFC 2544 section 11).
func Modifiers() []Modifier {
	return []Modifier{
		{plainLevel, "RFC 2544 section 11", "as the plan has it, without any"},
		{"broadcast", "RFC 2544 section 11.1", "1 % frames to the broadcast address beside the load; {broadcast: 5%} for another share"},
		{"management", "RFC 2544 section 11.2", "a management query at the beginning of each second"},
		{"updates", "RFC 2544 section 11.3", "a routing update at the beginning of each trial"},
		{"{filters: 25}", "RFC 2544 section 11.4", "so many filters, of which the last permits the frames; 1 and 25 by the RFC"},
		{"{networks: 256}", "RFC 2544 section 12", "destinations in so many networks, at random"},
		{"bidirectional", "RFC 2544 section 14", "both directions at the same rate"},
		{"{pairs: 2}", "RFC 2544 section 16", "so many pairs of ports, frames of each sending port to all others"},
		{"{burst: 64}", "RFC 2544 section 21", "bursts of so many frames at the least gap; 16, 64, 256 and 1024 by the RFC"},
		{"{sessions: 1}", "RFC 2516", "so many PPPoE sessions with the DUT that frames go through, with access: {pppoe: userland}"},
		{"{routes: 10k}", "RFC 3222", "so many routes, and frames to all of them; or {count:, family:, seed:, via: bgp}"},
		{"{flows: 1000}", "RFC 4814", "so many flows"},
		{"{blend: 10%}", "RFC 5180 section 5", "so many frames of the other family"},
		{"{extensions: [hop-by-hop]}", "RFC 5180 section 5.3", "IPv6 extension headers: hop-by-hop, destination, routing; with a share: {headers: [..], share: 10%}"},
		{"{napi: threaded}", "", "how a Linux DUT takes frames from its ports: softirq, threaded, busy-poll"},
	}
}

// bare are the modifiers that need no value.
func bare() []string {
	return []string{plainLevel, "broadcast", "management", "updates", "bidirectional"}
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
		at := &n
		if n.kind == scalar && n.text == plainLevel {
			at = nil // what is wrong then is wrong with the sizes
		}
		before := len(r.mistakes)
		l, changed := r.level(n, s, c)
		if slices.ContainsFunc(out, func(o Level) bool { return o.Name == l.Name }) {
			r.wrong(n, "%s is there twice: each level is measured once", l.Name)
		}
		if len(r.mistakes) == before {
			l.Traffic = r.sized(changed, l.Condition, sizes, at)
		}
		out = append(out, l)
	})
	if len(out) > mostLevels {
		r.wrong(n, "%d levels are too many for one plan: at most %d", len(out), mostLevels)
	}
	return out
}

// mostPairs is how many pairs of ports any of the modifiers asks for, or else
// the traffic. What is wrong with one is said where it is read.
func mostPairs(n node, most int) int {
	for _, item := range n.items {
		if pairs, ok := item.find("pairs"); ok {
			if v, err := schema.Int(pairs.text); err == nil && v <= frame.MaxPairs {
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
	l := Level{Name: cmp.Or(name, said(n)), Condition: c}
	if n.kind != object {
		switch word := r.word(n, "a modifier"); word {
		case "", plainLevel:
		case "broadcast":
			s.Broadcast = usualBroadcast
		case "management":
			l.Condition.Management = true
		case "updates":
			l.Condition.Updates = true
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

// said is what was written, on one line: "filters 25, burst 16".
func said(n node) string {
	var parts []string
	switch n.kind {
	case scalar:
		return n.text
	case list:
		for _, item := range n.items {
			parts = append(parts, said(item))
		}
		return strings.Join(parts, "+")
	case object:
		for _, e := range n.entries {
			value := said(e.value)
			if e.value.kind == object {
				value = "(" + value + ")"
			}
			parts = append(parts, e.key.text+" "+value)
		}
	}
	return strings.Join(parts, ", ")
}
