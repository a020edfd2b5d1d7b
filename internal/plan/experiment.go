package plan

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"weir"
)

// The ways in which levels of several factors are combined.
const (
	fullFactorial = "full"
	oneAtATime    = "one-at-a-time" // each level of each factor with the first levels of the others
)

// Replicates is how many there will be at most.
func (e Experiment) Replicates() int {
	if e.Runs > 0 {
		return e.Runs
	}
	return e.Most
}

// Cell is a run that is to be made: a traffic at a level.
type Cell struct {
	Run     weir.Run
	Level   Level
	Traffic weir.Traffic
}

// block are the runs that are compared with each other: all arms with one
// traffic.
type block struct {
	stratum string
	cells   []Cell
}

// blocks are those of one replicate, in the order of the plan.
func (p Plan) blocks() []block {
	var out []block
	for _, l := range p.Levels {
		for i, t := range l.Traffic {
			at := slices.IndexFunc(out, func(b block) bool { return b.stratum == l.Stratum && sizeOf(b, p) == i })
			if at < 0 {
				at = len(out)
				out = append(out, block{stratum: l.Stratum})
			}
			out[at].cells = append(out[at].cells, Cell{weir.Run{Arm: l.Arm}, l, t})
		}
	}
	if p.Experiment.Same {
		for i := range out {
			again := out[i].cells[0]
			again.Run.Again = true
			out[i].cells = append(out[i].cells, again)
		}
	}
	return out
}

// sizeOf is which of the sizes of its level a block has.
func sizeOf(b block, p Plan) int {
	c := b.cells[0]
	return slices.IndexFunc(c.Level.Traffic, func(t weir.Traffic) bool { return t.Name == c.Traffic.Name })
}

// Round is a number of replicates that are made together: one, or two of which
// the second has each block of the first backwards, right after it.
func (e Experiment) Round() int {
	if e.Schedule == weir.ABBA {
		return 2
	}
	return 1
}

// runs are those of a round, from 1, in the order in which they are made. The
// order is drawn with the seed, for each round by itself: there may be more
// rounds than are known yet.
func (p Plan) runs(round int) []Cell {
	e := p.Experiment
	order := rand.New(rand.NewPCG(e.Seed, uint64(round)))
	all := p.blocks()
	var out []Cell
	order.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	each := e.Round()
	rank := p.thereAndBack()
	count := 0
	for _, b := range all {
		count += len(b.cells) * each
	}
	for i, b := range all {
		cells := slices.Clone(b.cells)
		order.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		if rank != nil {
			slices.SortStableFunc(cells, func(a, b Cell) int { return cmp.Compare(rank[a.byHand()], rank[b.byHand()]) })
		}
		for half := range each {
			if half > 0 {
				slices.Reverse(cells)
			}
			for _, c := range cells {
				c.Run.Number = (round-1)*count + len(out) + 1
				c.Run.Replicate = (round-1)*each + half + 1
				c.Run.Block = ((round-1)*len(all)+i)*each + half + 1
				out = append(out, c)
			}
		}
	}
	return out
}

// PerReplicate is how many runs a replicate has.
func (p Plan) PerReplicate() int {
	n := 0
	for _, b := range p.blocks() {
		n += len(b.cells)
	}
	return n
}

// Scheduled is one block of a plan's runs, for people.
type Scheduled struct {
	Block     int      // its number, from 1
	Replicate int      // that it belongs to, from 1
	Traffic   string   // name of the size or mix
	Stratum   string   // levels that all its runs share: "direction reverse"; "": none
	Arms      []string // in the order of measuring; the baseline's second one ends in "again"
}

// Schedule is the order of the blocks of a plan, and how many runs they have: all
// of them, or as many as there may be. It is nil for a plan that measures
// everything once.
func (p Plan) Schedule() (blocks []Scheduled, runs int) {
	if p.Experiment == nil {
		return nil, 0
	}
	for c := range p.all() {
		if n := len(blocks); n == 0 || blocks[n-1].Block != c.Run.Block {
			blocks = append(blocks, Scheduled{Block: c.Run.Block, Replicate: c.Run.Replicate, Traffic: c.Traffic.Name, Stratum: c.Level.Stratum})
		}
		blocks[len(blocks)-1].Arms = append(blocks[len(blocks)-1].Arms, c.Name())
		runs++
	}
	return blocks, runs
}

// all are the runs of all rounds that there may be.
func (p Plan) all() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for round := 1; (round-1)*p.Experiment.Round() < p.Experiment.Replicates(); round++ {
			for _, c := range p.runs(round) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// OfReplicate is the worst-case time of the runs of a replicate.
func (h *Rehearsal) OfReplicate() time.Duration {
	var sum time.Duration
	for _, b := range h.Plan.blocks() {
		for i, c := range b.cells {
			if h.Plan.Experiment.Schedule == weir.Abreast && i > 0 { // they share the time of one run, but for the trial of each alone
				for _, s := range h.Plan.Steps {
					sum += h.Plan.TrialCost(s.Params.Trial)
				}
				continue
			}
			sum += h.runTime(c.Level, c.Traffic)
		}
	}
	return sum
}

// runTime is the worst-case time of one run.
func (h *Rehearsal) runTime(l Level, t weir.Traffic) time.Duration {
	var each time.Duration
	if !t.Application {
		each = h.Plan.TrialCost(ProbeDuration + ProbeMore)
	}
	for i, d := range h.Steps(l) {
		m := h.Plan.Steps[i].Method
		if m.Rounds && h.Plan.Rounds > 1 {
			d *= time.Duration(h.Plan.Rounds)
		}
		if m.Application == t.Application {
			each += d
		}
	}
	return each
}
