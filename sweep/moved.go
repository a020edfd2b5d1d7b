package sweep

import (
	"math"
	"time"
)

// moved reports whether windows of twice the length, in every second block of a
// pass, show a knee that is lower by more than the resolution, and by more than
// chance brings: what a buffer takes of an overload is the smaller a share the
// longer a window is (RFC 9004 section 4 has the same correction for bursts).
// Blocks in turn share what a slow wave does, which rounds do not.
func (g Goal) moved(of []sample) bool {
	least := shortest(of)
	short, shortError, ok := g.kneeOf(of, func(d time.Duration) bool { return d == least })
	long, longError, also := g.kneeOf(of, func(d time.Duration) bool { return d > least })
	if !ok || !also {
		return false
	}
	return short-long > math.Max(g.Resolution, 2*math.Hypot(shortError, longError))
}

// kneeOf is the logarithm of the knee of blocks whose windows have some length,
// and its standard error.
func (g Goal) kneeOf(of []sample, length func(time.Duration) bool) (log, err float64, ok bool) {
	var some []sample
	for _, s := range of {
		if length(s.window.Duration) {
			some = append(some, s)
		}
	}
	cs := columns(some, (*sample).quiet)
	k := knee(cs, g.Loss, nil)
	if k.below || !(k.load > 0) {
		return 0, 0, false
	}
	boot := g.bootstrap(blocksOf(some), apart, uint64(len(some)), func(w []int) float64 {
		return safe(math.Log(knee(cs, g.Loss, w).load), k.load)
	})
	return math.Log(k.load), deviation(boot), true
}

// shortest is the length of the shortest windows.
func shortest(of []sample) time.Duration {
	least := of[0].window.Duration
	for _, s := range of {
		least = min(least, s.window.Duration)
	}
	return least
}
