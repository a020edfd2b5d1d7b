package claim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
	"weir/stats"
)

// Evidence is what a claim is decided from: a result, and the trials that
// counted, of which there is at least one.
type Evidence struct {
	weir.Result
	Trials []weir.TrialResult
}

// counted are the trials of a method without the attempts that were measured
// again: the one that counts says in Attempts how many there were, and the
// others have the numbers right before its own.
func counted(method string, trials []weir.TrialResult) []weir.TrialResult {
	var out []weir.TrialResult
	for _, t := range trials {
		if t.Trial.Purpose != method {
			continue
		}
		for back := 1; back < t.Attempts && len(out) > 0; back++ {
			last := out[len(out)-1]
			if last.Trial.Number != t.Trial.Number-back || last.Attempts != t.Attempts-back {
				break
			}
			out = out[:len(out)-1]
		}
		out = append(out, t)
	}
	return out
}

// ipv6 reports whether any of the frames are IPv6: then RFC 5180 applies.
func (e Evidence) ipv6() bool { return e.traffic().Family == weir.IPv6 || e.traffic().Blend != nil }

// full is the full name of a result of a procedure of RFC 2544 section 26.
func (e Evidence) full(test string) string {
	if e.ipv6() {
		return "RFC 5180 " + test
	}
	return "RFC 2544 " + test
}

// traffic is what the trials sent.
func (e Evidence) traffic() weir.Traffic { return e.Trials[0].Trial.Traffic }

// ports is how many ports sent.
func (e Evidence) ports() float64 { return float64(e.traffic().Ports()) }

// sent is how long all trials together sent.
func (e Evidence) sent() (sum time.Duration) {
	for _, t := range e.Trials {
		sum += t.Trial.Length()
	}
	return sum
}

// pauses are the shortest ones of all trials.
func (e Evidence) pauses() weir.Waits {
	w := e.Trials[0].Trial.Waits
	for _, t := range e.Trials {
		w.Learning = min(w.Learning, t.Trial.Waits.Learning)
		w.Residual = min(w.Residual, t.Trial.Waits.Residual)
		w.Settle = min(w.Settle, t.Trial.Waits.Settle)
	}
	return w
}

// at are the trials at a load in frames/s over all ports.
func (e Evidence) at(load float64) []weir.TrialResult {
	return where(e.Trials, func(t weir.TrialResult) bool { return near(t.Trial.Intended*e.ports(), load) })
}

// every reports whether all trials are so.
func (e Evidence) every(is func(weir.TrialResult) bool) bool {
	return len(where(e.Trials, is)) == len(e.Trials)
}

// short is in how many trials the tester sent less than it was to.
func (e Evidence) short() int { return len(where(e.Trials, weir.TrialResult.Short)) }

// noShare is why trials at a share of what was taken for the throughput were at
// none of it, as the rate is no throughput or they were not sent so fast; ""
// when they were.
func (e Evidence) noShare() string {
	switch short := e.short(); {
	case e.Basis.Unfit != "":
		return "the rate is no throughput: " + e.Basis.Unfit
	case short > 0:
		return fmt.Sprintf("the tester sent less in %d of %s", short, plural(len(e.Trials), "trial"))
	}
	return ""
}

// mean is the mean of a figure of the trials.
func (e Evidence) mean(figure func(weir.TrialResult) float64) float64 {
	sum := 0.
	for _, t := range e.Trials {
		sum += figure(t)
	}
	return sum / float64(len(e.Trials))
}

// median is the median of a figure of the trials: the mean of the two middle
// ones of an even number.
func median(trials []weir.TrialResult, figure func(weir.TrialResult) float64) float64 {
	var values []float64
	for _, t := range trials {
		values = append(values, figure(t))
	}
	return stats.Median(values)
}

func where(trials []weir.TrialResult, is func(weir.TrialResult) bool) (out []weir.TrialResult) {
	for _, t := range trials {
		if is(t) {
			out = append(out, t)
		}
	}
	return out
}

// lost reports whether the DUT lost more of what was sent than a ratio.
func lost(t weir.TrialResult, ratio float64) bool { return t.DUTLoss() > ratio }

// missed reports whether some trials of a load show that the DUT missed a goal
// there, whatever the tester did.
func missed(trials []weir.TrialResult, loss, exceed float64) bool {
	bad, inconclusive := 0., 0.
	for _, t := range trials {
		if lost(t, loss) {
			bad++
		} else if t.Inconclusive(loss) {
			inconclusive++
		}
	}
	conclusive := float64(len(trials)) - inconclusive
	return bad > exceed*conclusive && (exceed == 0 || inconclusive <= conclusive)
}

// near reports whether two rates are the same but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// alike reports whether two figures are the same but for how they were summed.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }

// lasted is how long a trial sent: as long as it was asked to, unless it ended
// early by more than a hundredth. The last frame leaves a gap before the end.
func lasted(t weir.TrialResult) time.Duration {
	asked := t.Trial.Length()
	if t.Sending <= 0 || t.Trial.Count > 0 {
		return max(asked, t.Sending)
	}
	gap := time.Duration(0)
	rate := t.Trial.Intended
	if t.Trial.Then != nil {
		rate = t.Trial.Then.Intended
	}
	if rate > 0 {
		gap = time.Duration(float64(time.Second) / rate)
	}
	if t.Sending+gap < asked-asked/100 {
		return t.Sending.Round(time.Second / 10)
	}
	return asked
}

// shortest is how long the shortest of some trials sent; 0 of none.
func shortest(trials []weir.TrialResult) time.Duration {
	if len(trials) == 0 {
		return 0
	}
	return lasted(slices.MinFunc(trials, func(a, b weir.TrialResult) int { return int(lasted(a) - lasted(b)) }))
}
