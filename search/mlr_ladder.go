package search

import "math"

// ladder are the loads of an MLRsearch: rungs from 0, the lowest load, to top,
// the highest, of which each is the same ratio above the one before.
type ladder struct {
	low, high float64
	top       int
	step      float64 // logarithm of the ratio
}

// rounding is what the load of a rung may be off, as a share of a step.
const rounding = 1e-6

// ladder has steps as wide as the narrowest goal, or a little less.
func (m MLR) ladder() ladder {
	width := 1.
	for _, g := range m.Goals {
		width = min(width, g.width())
	}
	l := ladder{low: m.minimum(), high: m.Maximum}
	span := math.Log(l.high / l.low)
	l.top = int(math.Ceil(span / -math.Log1p(-width)))
	if l.top > 0 {
		l.step = span / float64(l.top)
	}
	return l
}

// load is that of a rung.
func (l ladder) load(rung int) float64 {
	if rung == 0 {
		return l.low
	}
	return max(l.high*math.Exp(-l.step*float64(l.top-rung)), l.low)
}

// below is the highest rung at or below a load; -1 when there is none.
func (l ladder) below(load float64) int {
	switch {
	case !(load >= l.low):
		return -1
	case load >= l.high:
		return l.top
	}
	return max(0, l.top+int(math.Floor(math.Log(load/l.high)/l.step+rounding)))
}

// apart is the greatest number of rungs between bounds of a width.
func (l ladder) apart(width float64) int {
	if l.top == 0 {
		return 1
	}
	return max(1, int(-math.Log1p(-width)/l.step+rounding))
}

// trials are a past by rungs.
type trials struct {
	at    map[int][]Observation
	order []int       // the rungs, by their first trials
	last  map[int]int // when the last trial of each was, as a place in the past
}

// sort leaves out what is not a trial of this ladder.
func (l ladder) sort(past []Observation) trials {
	t := trials{at: make(map[int][]Observation), last: make(map[int]int)}
	for i, o := range past {
		rung := l.below(o.Load)
		if rung < 0 || o.Duration <= 0 || math.Abs(o.Load-l.load(rung)) > rounding*l.step*l.high {
			continue
		}
		if len(t.at[rung]) == 0 {
			t.order = append(t.order, rung)
		}
		t.at[rung] = append(t.at[rung], o)
		t.last[rung] = i
	}
	return t
}
