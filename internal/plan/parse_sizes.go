package plan

import (
	"fmt"
	"slices"
	"strconv"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

// size is one frame size or mix of a plan with its place in it.
type size struct {
	at     node
	name   string
	sizes  []weir.Size
	replay *weir.Replay // nil: made-up frames

	application bool // no frames at all: programs of end hosts talk
}

// sizes reads the frame sizes and mixes of a plan. The seed is that of the
// traffic, for sizes that are drawn.
func (r *reader) sizes(n node, seed uint64) []size {
	var out []size
	r.list(n, "sizes", func(n node) {
		s := size{at: n}
		switch {
		case n.kind == object:
			s = r.mix(n, seed)
		case n.kind == scalar && n.text == "imix":
			s.name, s.sizes = "imix", frame.SimpleIMIX()
		default:
			size := 0
			scalarField("size", &size, octets).read(r, n)
			s.name, s.sizes = strconv.Itoa(size), []weir.Size{weir.Size(size)}
		}
		out = append(out, s)
	})
	if len(out) > mostSizes {
		r.wrong(n, "%d sizes are too many for one plan: at most %d", len(out), mostSizes)
	}
	return out
}

// proportion is that of a size in a mix.
var proportion = schema.Within(schema.Int, 1, mostWeight)

// sizesShape describes frame sizes and mixes.
func (r *reader) sizesShape() schema.Shape {
	return schema.ListOf(schema.Either(schema.Choice("imix"), octets.Shape, objectOf("a mix", r.mixFields(&size{}, new([]string), 0)...)).Call("size"))
}

// mixFields are the fields of a mix; kinds are those that say which sizes it has.
func (r *reader) mixFields(s *size, kinds *[]string, seed uint64) []field {
	kind := func(f field) field { return f.hooked(func(node) { *kinds = append(*kinds, f.name) }) }
	text := func() schema.Shape { return schema.Line.Shape }
	genome := func(name string) field {
		return kind(custom(name, text, func(r *reader, n node) {
			s.sizes = r.genome(n, name)
			if name == "imix" && s.name == "" {
				s.name = n.text
			}
		})).means("sizes by the letters of RFC 6985: `aaad`", "")
	}
	return []field{
		scalarField("name", &s.name, schema.Line).means("how reports call the mix", "of `imix` and `random`: what was written"),
		genome("genome"),
		genome("imix"),
		kind(custom("mix", func() schema.Shape {
			return schema.Object("", schema.Described{Key: "[0-9]", Prefixed: true, Shape: proportion.Shape})
		}, func(r *reader, n node) { s.sizes = r.proportions(n) })).means("sizes with their proportions: `{64: 7, 594: 4, 1518: 1}`", ""),
		kind(custom("random", text, func(r *reader, n node) {
			var bounds [2]weir.Size
			scalarField("random", &bounds, span).read(r, n)
			if bounds[1] > 0 {
				var err error
				if s.sizes, err = frame.RandomSizes(bounds[0], bounds[1], draws, seed); err != nil {
					r.wrong(n, "%v", err)
				}
			}
			if s.name == "" {
				s.name = n.text
			}
		})).means("1000 sizes drawn evenly from a range: `350-550`", ""),
	}
}

// mix reads several sizes that are sent together: in the order of a genome, in
// proportions, or drawn from a range. Only proportions need a name, the others
// are called what they are.
func (r *reader) mix(n node, seed uint64) size {
	s := size{at: n}
	var kinds []string
	r.object(n, "a mix", r.mixFields(&s, &kinds, seed)...)
	switch {
	case len(kinds) != 1:
		r.wrong(n, "a mix is one of: {name: mymix, genome: aaad} (RFC 6985), {name: mymix, mix: {64: 7, 594: 4}}, {random: 350-550}")
	case s.name == "":
		r.wrong(n, "a mix needs a name: {name: mymix, %s: ...}", kinds[0])
	}
	return s
}

// proportions reads how many frames of each size a mix has: {64: 7, 594: 4}.
func (r *reader) proportions(n node) []weir.Size {
	if n.kind != object {
		r.wrong(n, "a mix needs sizes with their proportions: {64: 7, 594: 4, 1518: 1}")
		return nil
	}
	var shares []frame.Share
	before := len(r.mistakes)
	for _, e := range n.entries {
		size, weight := 0, 0
		scalarField("size", &size, octets).read(r, e.key)
		scalarField("proportion of "+e.key.text, &weight, proportion).read(r, e.value)
		shares = append(shares, frame.Share{Size: weir.Size(size), Weight: weight})
	}
	if len(r.mistakes) > before {
		return nil
	}
	sizes, err := frame.Mix(shares...)
	if err != nil {
		r.wrong(n, "%v", err)
	}
	return sizes
}

// draws is how many sizes are drawn from a range before they are sent again.
const draws = 1000

// defaultSizes are the sizes of RFC 2544 section 9 that show most and the mix,
// or all of that section in its defaults, as far as the headers of t leave room:
// the smallest size is then the smallest that these headers fit in.
func defaultSizes(n node, t weir.Traffic, defaults string) []size {
	either := t
	either.Bidirectional = true // some level may have it so
	largest := frame.LargestSize(either)
	t.Sizes = []weir.Size{largest}
	smallest := weir.Size(64)
	if l, err := frame.LayoutOf(t); err == nil {
		smallest = max(smallest, l.Smallest)
	}
	sizes := []weir.Size{64, 512, 1518}
	if defaults == RFC2544 {
		sizes = frame.Sizes
	}
	out := []size{}
	for _, s := range sizes {
		s = min(max(s, smallest), largest)
		if len(out) == 0 || out[len(out)-1].sizes[0] < s {
			out = append(out, size{at: n, name: fmt.Sprint(s), sizes: []weir.Size{s}})
		}
	}
	if imix := frame.SimpleIMIX(); defaults == "" && slices.Min(imix) >= smallest && slices.Max(imix) <= largest {
		out = append(out, size{at: n, name: "imix", sizes: imix})
	}
	return out
}
