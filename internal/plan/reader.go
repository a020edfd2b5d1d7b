package plan

import (
	"slices"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/schema"
	"weir/internal/visible"
)

// reader walks the nodes of a plan and collects everything that is wrong,
// with its place, instead of stopping at the first mistake.
type reader struct {
	file     string
	lines    []string
	captures Captures    // nil: there are none
	family   weir.Family // of the traffic
	sim      bool        // whether the DUT is a simulated one
	ports    bool        // whether it is a box behind ports
	spaces   bool        // whether it and the end hosts are network namespaces
	cable    bool        // whether there is none: the ends are on one cable
	bed      *Testbed    // of the plan, as far as it was read
	layer    int         // of weir.Traffic
	both     node        // where the traffic is written to be bidirectional; empty: nowhere
	sends    node        // what is written of the traffic
	dutAt    node        // what is written of the DUT
	inside   node        // where frames are written to go through PPPoE sessions; empty: nowhere
	mistakes weir.Problems
}

// field is one key that an object may have: what reads its value, and what may be written for it.
type field struct {
	name  string
	read  func(*reader, node)
	shape func() schema.Shape // made when documents ask for it: objects hold objects
	doc   schema.Described    // what else is known of it
	vary  variation
}

// means says what a field is, in Markdown, and its default.
func (f field) means(text, byDefault string) field {
	f.doc.Means, f.doc.Default = text, byDefault
	return f
}

// needed says that what reads the object refuses one without the field.
func (f field) needed() field {
	f.doc.Needed = true
	return f
}

// checked calls another function when the value was read.
func (f field) checked(after func(*reader, node)) field {
	read := f.read
	f.read = func(r *reader, n node) {
		read(r, n)
		after(r, n)
	}
	return f
}

// hooked calls another function before the value is read.
func (f field) hooked(before func(node)) field {
	read := f.read
	f.read = func(r *reader, n node) {
		before(n)
		read(r, n)
	}
	return f
}

// described returns what documents say of fields.
func described(fields []field) []schema.Described {
	out := make([]schema.Described, len(fields))
	for i, f := range fields {
		out[i] = f.doc
		out[i].Key = f.name
		if f.shape != nil {
			out[i].Shape = f.shape()
			if f.vary != (variation{}) { // it is in several objects
				out[i].Shape = out[i].Shape.Call("value of " + f.name)
			}
		}
	}
	return out
}

// objectOf is the shape of an object, which messages call what.
func objectOf(what string, fields ...field) schema.Shape {
	return schema.Object(what, described(fields)...)
}

// custom describes a field that has a reader of its own.
func custom(name string, shape func() schema.Shape, read func(*reader, node)) field {
	return field{name: name, read: read, shape: shape}
}

func newReader(file string, data []byte) *reader {
	return &reader{file: file, lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
}

// wrong notes a mistake at the place of n.
func (r *reader) wrong(n node, format string, args ...any) { r.note(n.wrong(format, args...)) }

// note keeps what is wrong, with the lines that it is in.
func (r *reader) note(found weir.Problems) {
	for _, p := range found {
		p.At = r.place(node{line: p.At.Line, column: p.At.Column})
		p.What, p.Do = visible.Brief(p.What), visible.Brief(p.Do)
		r.mistakes = append(r.mistakes, p)
	}
}

// place returns where n is, for what will turn out to be wrong with it later.
func (r *reader) place(n node) weir.Place {
	at := weir.Place{File: r.file, Line: n.line, Column: n.column}
	if n.line <= len(r.lines) {
		at.Source = r.lines[n.line-1]
	}
	return at
}

// object reads the fields of n, which is called what in messages.
func (r *reader) object(n node, what string, fields ...field) {
	if n.kind != object {
		r.wrong(n, "%s needs fields: %s", what, strings.Join(names(fields), ", "))
		return
	}
	for _, e := range n.entries {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == e.key.text })
		switch {
		case e.key.kind != scalar || i < 0:
			r.wrong(e.key, "unknown field %q in %s%s", e.key.text, what, didYouMean(e.key.text, names(fields)))
		case e.value.kind == empty:
			r.wrong(e.key, "%s has no value: leave the field out to have its default", e.key.text)
		default:
			fields[i].read(r, e.value)
		}
	}
}

// list reads each item of n; a single item may be without brackets.
func (r *reader) list(n node, what string, read func(node)) {
	items := n.items
	switch {
	case n.kind == scalar || n.kind == object:
		items = []node{n}
	case len(items) == 0:
		r.wrong(n, "%s is empty: leave the field out to have its default", what)
	}
	for _, item := range items {
		read(item)
	}
}

// word reads one word; "" after a mistake.
func (r *reader) word(n node, what string) string {
	switch {
	case n.kind != scalar:
		r.wrong(n, "%s needs a single value", what)
	case n.text == "":
		r.wrong(n, "%s is an empty text: give it a value", what)
	default:
		return n.text
	}
	return ""
}

// genome reads the letters of a mix (RFC 6985).
func (r *reader) genome(n node, what string) []weir.Size {
	if n.kind != scalar {
		r.wrong(n, "%s needs a single value", what)
		return nil
	}
	sizes, err := frame.Genome(n.text)
	if err != nil {
		r.wrong(n, "%s: %v", what, err)
	}
	return sizes
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// find is the value of the first of several keys of n that it has.
func (n node) find(keys ...string) (node, bool) {
	for _, key := range keys {
		for _, e := range n.entries {
			if e.key.text == key && e.value.kind != empty {
				return e.value, true
			}
		}
	}
	return node{}, false
}

// first is what find finds, or n itself.
func (n node) first(keys ...string) node {
	if found, ok := n.find(keys...); ok {
		return found
	}
	return n
}

// scalarField describes a field of one word.
func scalarField[T any](name string, to *T, word schema.Word[T]) field {
	return custom(name, func() schema.Shape { return word.Shape }, func(r *reader, n node) {
		text := r.word(n, name)
		if text == "" {
			return
		}
		v, err := word.Read(text)
		if err != nil {
			r.wrong(n, "%s: %v", name, err)
			return
		}
		*to = v
	})
}

// oneOf describes a field whose word is one of those known.
func oneOf[T ~string](name string, to *T, known ...T) field {
	return custom(name, func() schema.Shape { return schema.Choice(plain(known)...) }, func(r *reader, n node) {
		if word := r.word(n, name); slices.Contains(known, T(word)) {
			*to = T(word)
		} else if word != "" {
			r.wrong(n, "unknown %s %q%s", name, word, didYouMean(word, plain(known)))
		}
	})
}

// scalarList describes a field that is a list of words, which are added to those that are there.
func scalarList[T any](name string, to *[]T, word schema.Word[T]) field {
	return custom(name, func() schema.Shape { return schema.ListOf(word.Shape) }, func(r *reader, n node) {
		r.list(n, name, func(item node) {
			var v T
			scalarField(name, &v, word).read(r, item)
			*to = append(*to, v)
		})
	})
}

// nested describes a field that is an object of fields, which messages call what; check looks at
// all of it when it was read without a mistake.
func nested(name, what string, check func(*reader, node), fields ...field) field {
	return custom(name, func() schema.Shape { return objectOf(what, fields...) }, func(r *reader, n node) {
		before := len(r.mistakes)
		r.object(n, what, fields...)
		if check != nil && len(r.mistakes) == before {
			check(r, n)
		}
	})
}

func plain[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}
