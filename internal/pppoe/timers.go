package pppoe

import "time"

// timer is when something is to be done; zero: not as it is now.
type timer struct {
	due   time.Time
	place int // among the timers
}

func (t *timer) at() *timer { return t }

// timed is what has a timer.
type timed interface{ at() *timer }

// timers are what has something to do, by when it does: a heap (container/heap), those
// that have nothing to do last.
type timers[T timed] []T

func (t timers[T]) Len() int { return len(t) }

func (t timers[T]) Less(i, j int) bool {
	a, b := t[i].at().due, t[j].at().due
	return !a.IsZero() && (b.IsZero() || a.Before(b))
}

func (t timers[T]) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].at().place, t[j].at().place = i, j
}

// Push adds a T.
func (t *timers[T]) Push(one any) {
	one.(T).at().place = len(*t)
	*t = append(*t, one.(T))
}

// Pop removes the last.
func (t *timers[T]) Pop() any {
	var none T
	last := len(*t) - 1
	one := (*t)[last]
	(*t)[last] = none
	*t = (*t)[:last]
	return one
}

// next is when the first of them is due; zero: never, as it is now.
func (t timers[T]) next() time.Time {
	if len(t) == 0 {
		return time.Time{}
	}
	return t[0].at().due
}
