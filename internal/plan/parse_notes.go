package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/schema"
)

// noteFields are the fields of a remark.
func noteFields(note *weir.Note, of func(r *reader, n node)) []field {
	levels := func() schema.Shape {
		return schema.Object("", schema.Described{Prefixed: true, Shape: schema.Anything})
	}
	return []field{
		scalarField("text", &note.Text, schema.Line).means("what readers have to know", "").needed(),
		custom("of", levels, of).means("levels of factors, sizes (`frame_size`) or methods (`method`) of the results that it is about", "all of the campaign"),
	}
}

// notesShape describes remarks.
func notesShape() schema.Shape {
	return schema.ListOf(schema.Either(schema.Line.Shape, objectOf("a note", noteFields(&weir.Note{}, nil)...)))
}

// notes reads the remarks of the plan's author: a text about all of the campaign, or
// one about the results at some levels, which the plan has to have.
func (r *reader) notes(n node, p *Plan) {
	if n.kind == empty {
		return
	}
	known := p.noted()
	r.list(n, "notes", func(n node) {
		note := weir.Note{}
		if n.kind == scalar {
			note.Text = r.word(n, "a note")
		} else {
			r.object(n, "a note", noteFields(&note, func(r *reader, n node) { note.Of = r.levelsOf(n, known) })...)
			if note.Text == "" {
				r.wrong(n, "a note needs its text: {of: {firewall: stateful}, text: with the old kernel}, say")
			}
		}
		p.Notes = append(p.Notes, note)
	})
}

// levelsOf reads levels by their factors.
func (r *reader) levelsOf(n node, known map[string][]string) map[string]string {
	if n.kind != object || len(n.entries) == 0 {
		r.wrong(n, "which results? {of: {frame_size: 64}}, say: one of %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		return nil
	}
	out := map[string]string{}
	for _, e := range n.entries {
		factor, level := e.key.text, inOneLine(e.value)
		levels, ok := known[factor]
		switch {
		case !ok:
			r.wrong(e.key, "no result of this plan has a %q%s", factor, didYouMean(factor, slices.Sorted(maps.Keys(known))))
		case !slices.Contains(levels, level):
			r.wrong(e.value, "no result of this plan has the %s %q%s", factor, level, didYouMean(level, levels))
		}
		out[factor] = level
	}
	return out
}

// noted are the levels that results of a plan have, by factor, and its methods: what a
// note can be about.
func (p Plan) noted() map[string][]string {
	out := map[string][]string{}
	add := func(factor, level string) {
		if !slices.Contains(out[factor], level) {
			out[factor] = append(out[factor], level)
		}
	}
	for _, part := range p.Parts() {
		for _, l := range part.Levels {
			for _, t := range l.Traffic {
				for factor, level := range l.Factors(t) {
					add(factor, fmt.Sprint(level))
				}
			}
		}
		for _, s := range part.Steps {
			add("method", s.Method.Name)
		}
	}
	return out
}
