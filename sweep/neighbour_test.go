package sweep

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"weir"
)

// sized is one of several sweeps of a campaign, each of frames of another size.
type sized struct {
	goal     Goal
	capacity float64 // frames/s at the fastest speed
	past     []Pass
	known    Estimate
	held     int // windows at the fastest speed
	windows  int
}

// together performs sweeps of several sizes on one router in rounds, as a campaign
// does; each knows what the others showed before, if they are neighbours.
func together(dut *router, within time.Duration, factors []float64, neighbours bool) []sized {
	const rounds, pause = 3, .5
	all := make([]sized, len(factors))
	usual := dut.capacity
	for i, f := range factors {
		all[i] = sized{goal: Goal{Maximum: 1.6e6, Buffer: 256, Seed: uint64(i), Within: within, Rounds: rounds}, capacity: usual * f}
	}
	for round := 1; round <= rounds; round++ {
		for i := range all {
			s := &all[i]
			dut.capacity = s.capacity
			for {
				if neighbours {
					s.goal.Neighbours = neighboursOf(all, i)
				}
				p, ok := s.goal.Next(s.past)
				if !ok || p.Round > round && round < rounds {
					break
				}
				p.Start = seconds(dut.now)
				dut.held = nil
				p.Results = dut.send(p.Windows)
				s.past = append(s.past, p)
				if p.Kind != Fine {
					continue
				}
				for _, held := range dut.held {
					s.windows++
					if held == 1 {
						s.held++
					}
				}
			}
			dut.now += pause
			s.known = s.goal.Estimate(s.past)
		}
	}
	return all
}

// neighboursOf are what the other sweeps showed by now. Their times are those of the
// router, as all passes here begin at a time of that.
func neighboursOf(all []sized, of int) (out []Neighbour) {
	for i, s := range all {
		if i != of && len(s.known.Speeds) > 1 {
			out = append(out, Neighbour{Speeds: s.known.Speeds, Track: s.known.Track})
		}
	}
	return out
}

// shared is what sweeps of several sizes said of one machine.
type shared struct {
	sizes, met      int // all; those that met the fastest speed for a tenth of their windows
	metLeast, least int // that say "at least", of these and of the others
	low             int // whose fastest speed is 5 % too slow without saying so, though another size met that
}

// add counts the sizes of a campaign.
func (n *shared) add(all []sized) {
	held := func(s sized) bool { return float64(s.held) >= .1*float64(s.windows) }
	for _, s := range all {
		limited := s.known.Limited == BySpeed
		n.sizes++
		switch {
		case held(s):
			n.met++
			n.metLeast += count(limited)
		case limited:
			n.least++
		}
		fastest := s.known.KneeZero.Value
		if len(s.known.Speeds) > 0 {
			fastest = s.known.Speeds[0].Capacity
		}
		n.low += count(!limited && fastest < .95*s.capacity && slices.ContainsFunc(all, held))
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// runTogether performs campaigns of four sizes on machines with three speeds of a mean time in s.
func runTogether(dwell float64, from, campaigns int, neighbours bool) (n shared) {
	for seed := from; seed < from+campaigns; seed++ {
		dut := newRouter(uint64(seed))
		at(dwell)(dut)
		n.add(together(dut.start(), 6*time.Second, []float64{1, .97, .9, .8}, neighbours))
	}
	return n
}

// BenchmarkNeighbours prints what sweeps of several sizes say that share a machine with
// three speeds, alone and as neighbours: -campaigns 1000 for more of them, -from for others.
func BenchmarkNeighbours(b *testing.B) {
	fmt.Println("\n| speeds last | neighbours | sizes | met the fastest | of these at least | did not | of these at least | too low |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, dwell := range []float64{2, 5, 10, 20} {
		for _, neighbours := range []bool{false, true} {
			b.Run(fmt.Sprintf("%v s, %v", dwell, neighbours), func(b *testing.B) {
				for b.Loop() {
					n := runTogether(dwell, *firstSeed, *campaignCount, neighbours)
					fmt.Printf("\n| %v s | %v | %d | %d | %d | %d | %d | %d |\n", dwell, neighbours, n.sizes, n.met, n.metLeast, n.sizes-n.met, n.least, n.low)
				}
			})
		}
	}
}

// Sweeps of several sizes that know of each other say "at least" where another one met
// a faster speed; none does so where the machine has one.
func TestNeighbours(t *testing.T) {
	if n := runTogether(10, 0, 2, true); n.low > 0 {
		t.Errorf("on a machine with three speeds %d of %d sizes are too low, and do not say so", n.low, n.sizes)
	}
	dut := newRouter(1)
	for i, s := range together(dut.start(), 3*time.Second, []float64{1, .9}, true) {
		if s.known.Limited != "" || len(s.known.Speeds) > 0 {
			t.Errorf("size %d on a machine with one speed: limited by %q, %v", i, s.known.Limited, s.known.Speeds)
		}
	}
}

// The factor between two neighbours is the one by which what follows each other has
// the same speed; where nothing else tells, the one that is nearest to 1.
func TestFactorOfNeighbours(t *testing.T) {
	s := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	for _, c := range []struct {
		name string
		at   float64 // s: when the sweep's only phase began, of half a second
		own  float64
		want float64
	}{
		{"after the slow phase, on a neighbour's heels", 6.1, 500, 1100},
		{"after the fast phase", 2.1, 500, 500},
		{"a minute later, as fast as the neighbour's slower speed", 60, 460, 1012},
		{"a minute later, as fast as the neighbour's fastest one", 60, 980, 980},
	} {
		n := Neighbour{
			Speeds: []Speed{{Capacity: 1000}, {Capacity: 454.5}},
			Track:  []Moment{{At: 0, Until: s(2), Capacity: 1010}, {At: s(4.5), Until: s(6), Capacity: 455}},
		}
		var samples []sample
		for i := range 5 {
			samples = append(samples, sample{at: s(c.at + float64(i)/10), window: weir.Window{Duration: s(.1)}})
		}
		visits := []visit{{to: len(samples), shown: 10, log: math.Log(c.own), bound: math.Inf(-1)}}
		all, rate := n.phasesOfBoth(visits, samples)
		if got := 1000 * math.Exp(n.factor(all, rate, stays(visits, samples))); math.Abs(got/c.want-1) > .02 {
			t.Errorf("%s: the fastest speed would be %.0f, want %.0f", c.name, got, c.want)
		}
	}
}
