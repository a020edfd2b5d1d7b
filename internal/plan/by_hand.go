package plan

import (
	"math/rand/v2"
	"slices"

	"weir"
)

// byHand reports whether a person has to set the DUT from level to level.
func (p Plan) byHand() bool {
	return slices.ContainsFunc(p.Levels, func(l Level) bool { return l.Condition.ByHand() != p.Levels[0].Condition.ByHand() })
}

// byHand is what a person sets the DUT to for a run; "": nobody has to.
func (c Cell) byHand() string { return c.Level.Condition.ByHand() }

// thereAndBack is the place of each level that is set by hand within the blocks of a
// plan that goes through them in turn, each block backwards after the one before it:
// no other order that has each level in each block asks for fewer changes. It is drawn
// once, as a block that began elsewhere would ask for one more. Nil: the order of each
// round is drawn for itself.
func (p Plan) thereAndBack() map[string]int {
	if p.Experiment.Schedule != weir.ABBA || !p.byHand() {
		return nil
	}
	var names []string
	for _, l := range p.Levels {
		if name := l.Condition.ByHand(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	order := rand.New(rand.NewPCG(p.Experiment.Seed, 0)) // rounds have the numbers from 1
	order.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	rank := make(map[string]int)
	for i, name := range names {
		rank[name] = i
	}
	return rank
}

// Questions is how often a person is asked to set the DUT by hand, at most: before the
// first run, as nobody knows how it is set, and before each of which it is to be set
// otherwise than before. Where no level is set by hand nobody is asked.
func (p Plan) Questions() int {
	questions, was, hands := 0, "", false
	next := func(l Level) {
		now := l.Condition.ByHand()
		if questions == 0 || now != was {
			questions, was = questions+1, now
		}
		hands = hands || now != ""
	}
	for _, part := range p.Parts() {
		switch {
		case !part.byHand():
			next(part.Levels[0])
		case part.Experiment != nil:
			for c := range part.all() {
				next(c.Level)
			}
		default:
			for range max(part.Rounds, 1) {
				for _, l := range part.Levels {
					next(l)
				}
			}
		}
	}
	if !hands {
		return 0
	}
	return questions
}
