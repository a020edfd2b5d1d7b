package pppoe

// timers are the sessions of a concentrator, by when they have something to do:
// a heap (container/heap), the ones that have nothing last.
type timers []*access

func (t timers) Len() int { return len(t) }

func (t timers) Less(i, j int) bool {
	return !t[i].due.IsZero() && (t[j].due.IsZero() || t[i].due.Before(t[j].due))
}

func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].place, t[j].place = i, j
}

// Push adds an *access.
func (t *timers) Push(s any) {
	s.(*access).place = len(*t)
	*t = append(*t, s.(*access))
}

// Pop removes the last.
func (t *timers) Pop() any {
	last := len(*t) - 1
	s := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	return s
}
