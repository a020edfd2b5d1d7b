package frame

// Assorted reports whether the packet path's program for assorted frames has to
// send these: they are of several kinds, or of one whose headers are not all
// ours and without options, or more of them leave than the load.
func (b *Builder) Assorted() bool { return b.assorted }

// Kinds are the kinds of the frames. They must not be changed.
func (b *Builder) Kinds() []*Kind { return b.kinds }

// Cycle is the order of the kinds, as indexes of Kinds. Frame i is of kind
// Cycle()[i modulo its length].
func (b *Builder) Cycle() []int {
	kinds := make([]int, len(b.turns))
	for i, t := range b.turns {
		kinds[i] = int(t.kind)
	}
	return kinds
}
