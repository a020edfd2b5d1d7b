package frame

import (
	"math/rand/v2"

	"weir"
)

// redraws is how often a combination that is taken is drawn again before the
// next free one is taken in its place. Nearly all that remain to be found are
// found this way even when every combination is asked for.
const redraws = 1000

// A place names one value of each of a stream's sets, in the order source,
// destination, source port, destination port, counted from 0.
type place [4]uint32

// A walker goes through the sets of a stream in their orders.
type walker struct {
	sets  [4]walkedSet
	taken map[place]bool // nil when nothing is drawn
}

type walkedSet struct {
	count uint32
	order weir.Order
	draws *rand.Rand
}

func newWalker(seed uint64, s weir.Stream, flows int) *walker {
	w := &walker{sets: setsOf(s)}
	for i, use := range [4]uint64{drawSource, drawDestination, drawSourcePort, drawDestinationPort} {
		if w.sets[i].order != weir.Random {
			continue
		}
		w.sets[i].draws = rand.New(rand.NewPCG(seed, use))
		if w.taken == nil {
			w.taken = make(map[place]bool, flows)
		}
	}
	return w
}

func setsOf(s weir.Stream) [4]walkedSet {
	return [4]walkedSet{
		{count: uint32(s.Source.Count), order: s.Source.Order},
		{count: uint32(s.Destination.Count), order: s.Destination.Order},
		{count: uint32(s.SourcePort.Last) - uint32(s.SourcePort.First) + 1, order: s.SourcePort.Order},
		{count: uint32(s.DestinationPort.Last) - uint32(s.DestinationPort.First) + 1, order: s.DestinationPort.Order},
	}
}

// next is the place of flow i. Flows are asked for in turn; no more than
// combinations says, or it does not end.
func (w *walker) next(i uint32) place {
	var p place
	for range redraws {
		for k, s := range w.sets {
			p[k] = s.value(i)
		}
		if w.take(p) {
			return p
		}
	}
	for !w.take(p) {
		w.step(&p)
	}
	return p
}

func (s walkedSet) value(i uint32) uint32 {
	switch s.order {
	case weir.Increment:
		return i % s.count
	case weir.Random:
		return s.draws.Uint32N(s.count)
	}
	return 0
}

func (w *walker) take(p place) bool {
	if w.taken == nil {
		return true
	}
	if w.taken[p] {
		return false
	}
	w.taken[p] = true
	return true
}

// step goes to the next combination of the random sets.
func (w *walker) step(p *place) {
	for k, s := range w.sets {
		if s.order != weir.Random {
			continue
		}
		if p[k]++; p[k] < s.count {
			return
		}
		p[k] = 0
	}
}

// combinations is how many different flows a stream's sets give in their
// orders, or MaxFlows when there are more. Sets that increment do so together,
// so they repeat after the least common multiple of their lengths.
func combinations(s weir.Stream) int {
	together, drawn := uint64(1), uint64(1)
	for _, set := range setsOf(s) {
		switch n := uint64(set.count); set.order {
		case weir.Increment:
			together = together / gcd(together, n) * n
		case weir.Random:
			drawn *= n
		}
		if together*drawn >= MaxFlows {
			return MaxFlows
		}
	}
	return int(together * drawn)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
