package method

import "time"

// MLR are the parameters of an MLRsearch.
type MLR struct {
	Goals []Goal
}

// Goal is one goal of an MLRsearch (RFC 9971 section 4.6).
type Goal struct {
	Loss    float64       // goal loss ratio, 0 to 1
	Exceed  float64       // goal exceed ratio, 0 to 1
	Width   float64       // goal width, relative, 0 to 1
	Initial time.Duration // duration of the first trials
	Final   time.Duration // goal final trial duration
	Sum     time.Duration // goal duration sum
}

// or is m with the goals of d where it has none.
func (m MLR) or(d MLR) MLR {
	if len(m.Goals) == 0 {
		m.Goals = d.Goals
	}
	return m
}

// quicker is m with each goal cut down to what the first one of q allows.
func (m MLR) quicker(q MLR) MLR {
	if len(q.Goals) == 0 {
		return m
	}
	most := q.Goals[0]
	goals := make([]Goal, len(m.Goals))
	for i, g := range m.Goals {
		shorten(&g.Initial, most.Initial)
		shorten(&g.Final, most.Final)
		shorten(&g.Sum, most.Sum)
		g.Width = max(g.Width, most.Width)
		goals[i] = g
	}
	m.Goals = goals
	return m
}
