package plan

import (
	"weir/internal/schema"
	"weir/internal/sim"
)

// simFields are the parameters of a simulated DUT.
func simFields(s *sim.Config) (out []field) {
	for _, p := range sim.Parameters {
		out = append(out, fieldOf(p.Field, s))
	}
	return out
}

// fieldOf is a described field of what is kept in to.
func fieldOf[S any](f schema.Field[S], to *S) field {
	return custom(f.Key, func() schema.Shape { return f.Shape }, func(r *reader, n node) {
		read := func(n node, of func(word string) error) {
			word := r.word(n, f.Key)
			if word == "" {
				return
			}
			if err := of(word); err != nil {
				r.wrong(n, "%s: %v", f.Key, err)
			}
		}
		if f.Item == nil {
			read(n, func(word string) error { return f.Read(to, word) })
			return
		}
		items, before := 0, len(r.mistakes)
		r.list(n, f.Key, func(item node) {
			read(item, func(word string) error { return f.Item(to, items, word) })
			items++
		})
		if len(r.mistakes) > before {
			return
		}
		if err := f.Whole(to, items); err != nil {
			r.wrong(n, "%v", err)
		}
	}).means(f.Means, f.Default)
}
