package losses

import (
	"math"

	"weir"
)

// What makes a share of frames one that is lost evenly, and whatever the load.
const (
	leastLost  = 20 // frames in all
	leastEach  = 5  // in each trial
	leastApart = 8  // the highest load, relative to the lowest
	chunks     = 10 // of each trial's time
	// mostUneven is the chi-squared of the chunks above which the loss was not the same all
	// the time; of nine degrees of freedom one in 10,000 is.
	mostUneven = 33
	// leastRuns is how many runs of lost frames there are at least, relative to what there
	// would be if each frame were lost by itself.
	leastRuns = .8
	// deviations is how far two shares may be apart to be the same.
	deviations = 3
)

// even finds a share of all frames that is lost at every load, one here and one there.
func even(f *Found, trials []weir.TrialResult, kept []*trialFates) bool {
	var all tally
	var each []tally
	for _, t := range kept {
		one, ok := t.scattered()
		if !ok || one.lost < leastEach {
			return false
		}
		each = append(each, one)
		all.sent, all.lost = all.sent+one.sent, all.lost+one.lost
	}
	if all.lost < leastLost || !alike(each) {
		return false
	}
	loads := loadsOf(trials, func(t weir.TrialResult) bool {
		whole := tally{int(t.Offered), int(t.Offered - min(t.Offered, t.Received))}
		return len(t.Fates) > 0 || alike([]tally{all, whole})
	})
	if loads[1] < leastApart*loads[0] {
		return false
	}
	f.Kind, f.Loads, f.Share = weir.LosesEvenly, loads, all.share()
	f.Lower, f.Upper = interval(all)
	return true
}

// scattered counts the frames of a trial; false where the lost ones came in runs, or more
// of them at one time than at another.
func (t *trialFates) scattered() (all tally, ok bool) {
	runs, parts := 0, [chunks]tally{}
	for _, f := range t.fates {
		before := true
		for i := range f.Sent {
			back := f.Returned(i)
			if !back && before {
				runs++
			}
			before = back
			at := i * chunks / f.Sent
			parts[at], all = parts[at].with(back), all.with(back)
		}
	}
	p := all.share()
	if p == 0 || p == 1 {
		return all, false
	}
	uneven := 0.
	for _, part := range parts {
		if n := float64(part.sent); n > 0 {
			off := float64(part.lost) - n*p
			uneven += off * off / (n * p * (1 - p))
		}
	}
	return all, float64(runs) >= leastRuns*float64(all.lost)*(1-p) && uneven <= mostUneven
}

// alike reports whether the shares of all tallies may be the same.
func alike(each []tally) bool {
	for i, a := range each {
		for _, b := range each[:i] {
			p := tally{a.sent + b.sent, a.lost + b.lost}.share()
			deviation := math.Sqrt(p * (1 - p) * (1/math.Max(1, float64(a.sent)) + 1/math.Max(1, float64(b.sent))))
			if math.Abs(a.share()-b.share()) > deviations*deviation {
				return false
			}
		}
	}
	return len(each) > 1
}

// interval is that of Wilson for a share, 95 %.
func interval(t tally) (lower, upper float64) {
	const z = 1.96
	n, p := float64(t.sent), t.share()
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return math.Max(0, middle-half), math.Min(1, middle+half)
}
