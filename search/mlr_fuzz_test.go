package search

import (
	"slices"
	"testing"
	"time"
)

// Whatever the losses are: an MLRsearch ends, and soon; it never asks for a
// load that is settled for all goals; no bounds cross; and every part of its
// past leads to the same next trial again. At a load it takes eleven trials at
// most until a goal is settled: what it does grows with their square.
func FuzzMLR(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 5}, uint32(0), []byte{0, 255, 3, 9})
	f.Add([]byte{0, 50, 1, 21, 5, 10, 50, 1, 21, 5}, uint32(40_000), []byte{0, 1, 0, 1, 128})
	f.Add([]byte{0, 0, 4, 60, 20, 1, 50, 60, 2, 20, 10, 33, 2, 9, 1}, uint32(1), []byte{200, 0, 0, 7})
	f.Add([]byte{9, 20, 132, 60, 9, 0, 99, 3, 5, 200}, uint32(900_000), []byte{1})
	f.Fuzz(func(t *testing.T, goals []byte, start uint32, losses []byte) {
		m := MLR{Maximum: 1e6, Start: float64(start % 1_200_000)}
		for g := range slices.Chunk(goals, 5) {
			if len(g) < 5 || len(m.Goals) == 3 {
				break
			}
			final := time.Duration(g[2]%5+1) * time.Second
			m.Goals = append(m.Goals, MLRGoal{
				LossRatio: float64(g[0]) / 1000, Exceed: float64(g[1]%100) / 100,
				Final: final, Initial: time.Duration(g[2]>>7) * time.Second,
				Sum: min(max(final, time.Duration(g[3]%30)*time.Second), 11*final), Width: float64(g[4]%100+1) / 500,
			})
		}
		if len(m.Goals) == 0 || len(losses) == 0 {
			return
		}
		ends(t, m, losses)
	})
}

// Twenty trials at a load, with losses that were found to lead nowhere.
func TestMLREndsAfterManyTrials(t *testing.T) {
	goal := MLRGoal{Exceed: .5, Final: time.Second, Sum: 20 * time.Second, Width: .004}
	ends(t, MLR{Maximum: 1e6, Start: 40_091, Goals: []MLRGoal{goal}}, []byte{0, 1, 0, 1, 128})
}

// ends demands all that of a search that meets these losses, of 255, again and
// again.
func ends(t *testing.T, m MLR, losses []byte) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	most := 0 // trials at one load: those that settle it, and a first one, for each goal
	for _, g := range m.Goals {
		most += int((g.Sum+g.Final-1)/g.Final) + 1
	}
	most += max(patience, most+1) // and as many that say nothing
	l := m.ladder()
	var past []Observation
	var asked []Observation
	for load, d, ok := m.Next(past); ok; load, d, ok = m.Next(past) {
		sorted := l.sort(past)
		at := sorted.at[l.below(load)]
		settled := 0
		for _, g := range m.Goals {
			if g.classify(g.standing(at)) != undecided {
				settled++
			}
		}
		if settled == len(m.Goals) {
			t.Fatalf("load %v is settled for all goals: %+v", load, at)
		}
		if !(load >= m.minimum() && load <= m.Maximum) || !slices.ContainsFunc(m.Goals, func(g MLRGoal) bool { return d == g.full() || d == g.initial() }) {
			t.Fatalf("load %v for %v is out of range", load, d)
		}
		if tried := len(sorted.order); tried > mostLoads {
			t.Fatalf("no end after %d loads", tried)
		}
		if len(at) >= most {
			t.Fatalf("load %v is tried %d times", load, len(at)+1)
		}
		asked = append(asked, Observation{Load: load, Duration: d})
		x := losses[len(past)%len(losses)]
		o := Observation{Load: load, Duration: d, Loss: float64(x) / 255}
		if x%7 == 3 {
			o.Unsent = o.Loss // nothing was lost of what was sent
		}
		past = append(past, o)
		if !looked(len(past)) {
			continue
		}
		for i, o := range m.Outcomes(past) {
			if o.Lower > o.Upper || o.Lower == o.Upper && o.Limited != ByMaximum || o.Conditional > o.Lower {
				t.Fatalf("goal %d: bounds cross: %+v", i+1, o)
			}
		}
	}
	for i, o := range m.Outcomes(past) {
		g := m.Goals[i]
		if tried := len(l.sort(past).order); !o.Done && tried >= mostLoads {
			continue // it has the bounds that it had until then
		}
		if !o.Done || o.Limited == "" && (o.Upper-o.Lower)/o.Upper > g.width()*(1+1e-9) && (o.Upper-o.Lower)*g.Final.Seconds() >= 1 {
			t.Fatalf("goal %d ended undone: %+v", i+1, o)
		}
		if o.Lower > 0 && o.Conditional < o.Lower*(1-g.LossRatio)*(1-1e-12) {
			t.Fatalf("goal %d: conditional throughput is less than its loss ratio leaves: %+v", i+1, o)
		}
	}
	for n, want := range asked {
		if !looked(n) {
			continue
		}
		load, d, ok := m.Next(slices.Clone(past[:n]))
		if !ok || load != want.Load || d != want.Duration {
			t.Fatalf("after %d trials Next is %v for %v, %v and was %+v", n, load, d, ok, want)
		}
	}
}

// looked reports whether a past of n trials is looked at: that takes longer the longer
// it is.
func looked(n int) bool { return n <= 64 || n%8 == 0 }
