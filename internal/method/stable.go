package method

import (
	"math"
	"slices"
	"time"

	"weir"
	"weir/stats"
)

// What makes a rate unstable. There is no RFC for it: the numbers are chosen so
// that a stream which fills a link, with the seconds differing by a few percent,
// is far from all of them, and a card that flutters between 0.4 and 2.6 MB/s is
// beyond them.
const (
	// farBelow is the share of the median below which a second is far below it.
	farBelow = 0.5
	// mostBelow is the share of the seconds that may be: one dip in ten.
	mostBelow = 0.1
	// A rate has two levels when its seconds fall into two clusters. Of all
	// splits of the sorted seconds that one is taken which explains most of
	// their variance (the method of Otsu). It explains 64 % of it where they are
	// normally distributed, and 75 % where they are evenly, as those of a rate
	// that slowly rises; of two narrow clusters it explains nearly all. Sarle's
	// coefficient of bimodality would take one outlier among few seconds for a
	// second level: so each cluster has a floor, too.
	explainedByLevels = 0.85
	leastOfLevel      = 0.2 // of the seconds that either cluster has at least, and two of them
	leastLevelRatio   = 2   // mean of the upper cluster, relative to that of the lower one
	// still is the rate in bit/s below which nothing moved.
	still = 1600
)

// course is how a rate behaved over its full seconds.
type course struct {
	seconds          int
	min, median, max float64 // bit/s
	below            float64 // share of the seconds far below the median
	low, high        float64 // bit/s, means of the two clusters; 0 where there is one
	share            float64 // of the seconds in the upper cluster
}

// countedSeconds are the rates of the full seconds of a trial that count: all
// that a result says of its seconds is of these.
func countedSeconds(t weir.TrialResult) []float64 {
	if t.Transferred == nil || t.Trial.Transfer == nil {
		return nil
	}
	setUp := time.Duration(counted(*t.Transferred, weir.SetUpTime) * float64(time.Second))
	return fullSeconds(t.Transferred.Rates, t.Transferred.Interval, t.Trial.Transfer.WarmUp, setUp)
}

// fullSeconds are the rates of a transfer for which all of the interval
// counts: the warm-up is left out, and the first and the last second in which
// anything moved, and what is before and behind these; so is the set-up, which
// begins with the first that moves. rates has one rate for each interval.
func fullSeconds(rates []float64, interval, warmUp, setUp time.Duration) []float64 {
	if interval <= 0 {
		interval = time.Second
	}
	moves := func(r float64) bool { return r >= still }
	first := slices.IndexFunc(rates, moves)
	if first < 0 {
		return nil
	}
	last := len(rates) - 1
	for !moves(rates[last]) {
		last--
	}
	steps := func(d time.Duration) int { return int((d + interval - 1) / interval) }
	from := max(first+steps(time.Second)+steps(setUp), steps(warmUp))
	until := last + 1 - steps(time.Second)
	if from >= until {
		return nil
	}
	return rates[from:until]
}

// courseOf is how a rate behaved; false where there are too few seconds to say
// anything.
func courseOf(rates []float64) (course, bool) {
	n := len(rates)
	if n < weir.LeastSeconds {
		return course{}, false
	}
	sorted := slices.Sorted(slices.Values(rates))
	c := course{seconds: n, min: sorted[0], median: stats.Median(sorted), max: sorted[n-1]}
	for _, r := range sorted {
		if r < farBelow*c.median {
			c.below += 1 / float64(n)
		}
	}
	c.levels(sorted)
	return c, true
}

// levels looks for two clusters among the seconds.
func (c *course) levels(sorted []float64) {
	n := len(sorted)
	least := max(2, int(math.Ceil(leastOfLevel*float64(n))))
	all, total := mean(sorted), 0.
	for _, r := range sorted {
		total += (r - all) * (r - all)
	}
	best, at := 0., 0
	for i := least; i <= n-least; i++ {
		low, high := mean(sorted[:i])-all, mean(sorted[i:])-all
		if between := float64(i)*low*low + float64(n-i)*high*high; between > best {
			best, at = between, i
		}
	}
	if at == 0 || best < explainedByLevels*total {
		return
	}
	low, high := mean(sorted[:at]), mean(sorted[at:])
	if high >= leastLevelRatio*low {
		c.low, c.high, c.share = low, high, float64(n-at)/float64(n)
	}
}

// unstable reports whether the rate fluctuated.
func (c course) unstable() bool { return c.below >= mostBelow || c.high > 0 }

// String says how the rate fluctuated.
func (c course) describe() weir.Sentence {
	s := weir.Say("%.0f %% of the seconds were below half of the median (least %s, median %s, most %s, over %d seconds)",
		100*c.below, megabits(c.min), megabits(c.median), megabits(c.max), c.seconds)
	if c.high > 0 {
		s = s.Then("; the rate went to and fro between two levels: %s in %.0f %% of them, and %s", megabits(c.high), 100*c.share, megabits(c.low))
	}
	return s
}

// megabits is a rate in bit/s for people.
func megabits(rate float64) weir.Sentence {
	if rate >= 1e10 {
		return weir.Say("%.4g Gbit/s", rate/1e9)
	}
	return weir.Say("%.4g Mbit/s", rate/1e6)
}
