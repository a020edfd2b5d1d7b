package sweep

import (
	"math"
	"time"
)

// armSeen is what the windows of an arm showed.
type armSeen struct {
	usual   []float64 // rates of the windows that count, or for which less was sent
	rates   []float64 // of those that count
	logs    []float64 // of its rate over the baseline's, by block
	long    []float64 // of these, those of the longer windows
	short   []float64 // and of the others
	stops   []float64 // of blocks in which it or the baseline forwarded nothing
	full    int       // windows with a load that was enough
	stopped int       // windows in which nothing was forwarded
	unsent  []float64 // rates of windows for which too little was sent
}

// add takes a window in. Whether its load was enough is held against what the arm
// usually forwards, and not against what it did in that window, of which only bad ones
// would be left.
func (a *armSeen) add(one *sample) {
	enough := float64(one.result.Sent)/one.window.Duration.Seconds() >= overfilling*median(a.usual)
	switch {
	case one.reason == Unsent && enough:
		one.reason = "" // less than was asked, and still well more than it forwards
	case one.reason == Unsent:
		a.unsent = append(a.unsent, one.rate)
	}
	if !one.counts() {
		return
	}
	a.rates = append(a.rates, one.rate)
	if one.rate == 0 {
		a.stopped++
	}
	if enough {
		a.full++
	}
}

// compare takes in what a window shows against the baseline's of its block. Usual is
// how long windows are that are not the longer ones.
func (a *armSeen) compare(one, base *sample, usual time.Duration) {
	if !one.counts() || !base.counts() || one.rate+base.rate == 0 {
		return
	}
	l := one.logRate() - base.logRate()
	switch {
	case one.rate == 0 || base.rate == 0:
		a.stops = append(a.stops, l)
		return
	case one.window.Duration > usual:
		a.long = append(a.long, l)
	default:
		a.short = append(a.short, l)
	}
	a.logs = append(a.logs, l)
}

// amount returns what the windows of an arm amount to, against a baseline that forwarded
// nothing in so many of its own.
func (a armSeen) amount(baseline int) Arm {
	logs := a.logs
	if 4*max(a.stopped, baseline) > len(a.rates) {
		logs = append(logs, a.stops...) // that is what it does, and no interruption
	}
	out := Arm{
		Windows: len(a.rates), Rate: median(a.rates), Effect: hodgesLehmann(logs), Pairs: len(logs),
		Unsaturated: 2*a.full < len(a.rates), Longer: math.NaN(), Short: len(a.unsent), Least: median(a.unsent),
	}
	if len(a.long) >= fewLonger {
		out.Longer = hodgesLehmann(a.long) - hodgesLehmann(a.short)
	}
	return out
}
