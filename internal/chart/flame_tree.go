package chart

import (
	"cmp"
	"slices"

	"weir"
)

// flameNode is a function as it was called by those below it.
type flameNode struct {
	name     string
	total    uint64       // samples in it and in what it called
	self     uint64       // those in itself
	before   uint64       // total in another profile
	children []*flameNode // by name, so that two profiles can be laid side by side
}

// flameTree adds the stacks of a profile up. The root has no name.
func flameTree(p weir.Profile) *flameNode {
	root := &flameNode{}
	for _, s := range p.Stacks {
		n := root
		n.total += s.Samples
		for _, name := range s.Frames {
			n = n.child(name)
			n.total += s.Samples
		}
		n.self += s.Samples
	}
	return root
}

// child is the function of that name that n called; it is made if need be.
func (n *flameNode) child(name string) *flameNode {
	at, found := n.find(name)
	if !found {
		n.children = slices.Insert(n.children, at, &flameNode{name: name})
	}
	return n.children[at]
}

func (n *flameNode) find(name string) (int, bool) {
	return slices.BinarySearchFunc(n.children, name, func(c *flameNode, name string) int { return cmp.Compare(c.name, name) })
}

// walk visits all that n called.
func (n *flameNode) walk(visit func(*flameNode)) {
	for _, c := range n.children {
		visit(c)
		c.walk(visit)
	}
}

// pair notes in the functions of one tree what they had in another.
func pair(before, after *flameNode) {
	after.before = before.total
	for _, c := range after.children {
		if at, found := before.find(c.name); found {
			pair(before.children[at], c)
		}
	}
}
