package sim

import (
	"time"

	"weir"
)

// stalls are when the generator stands still in a trial, from and until, in s.
// It sends no number of frames that is asked for later than it should.
func (d dut) stalls(t weir.Trial) [][2]float64 {
	if t.Count > 0 {
		return nil
	}
	return d.stops(stallDraws, d.Stalls, d.Stall, t.Length().Seconds())
}

// sent are the phases of a trial without the stalls of the generator. What is
// due in a stall is not sent later.
func sent(t weir.Trial, phases []phase, stalls [][2]float64) []phase {
	if len(stalls) == 0 {
		return phases
	}
	var out []phase
	var n float64 // frames
	i := 0        // the first stall that does not end before the phase
	for _, f := range phases {
		ports := float64(t.Traffic.Ports())
		if f.side > 0 {
			ports = 1
		}
		first, sending, rate := n, 0., f.rate()/ports
		send := func(begin, end float64) {
			part := f
			sending += end - begin
			part.from, part.to, part.begin, part.end = n, first+whole(rate*sending)*ports, begin, end
			out, n = append(out, part), part.to
		}
		for i < len(stalls) && stalls[i][1] <= f.begin {
			i++
		}
		at, parts := f.begin, len(out)
		for k := i; k < len(stalls) && stalls[k][0] < f.end; k++ {
			if stalls[k][0] > at {
				send(at, stalls[k][0])
			}
			at = stalls[k][1]
		}
		if at < f.end {
			send(at, f.end)
		} else if len(out) == parts { // nothing of it
			f.from, f.to = n, n
			out = append(out, f)
		}
	}
	return out
}

// stalled is the longest stall of the generator while it should send from a
// time to another, in s.
func stalled(stalls [][2]float64, begin, end float64) time.Duration {
	longest := 0.
	for _, stall := range stalls {
		longest = max(longest, min(stall[1], end)-max(stall[0], begin))
	}
	return seconds(longest)
}

// paced fills in how evenly the generator sent what it should have in phases.
func paced(r *weir.TrialResult, phases []phase, stalls [][2]float64) {
	k, counted := 0, 0
	for _, f := range phases {
		for k < len(stalls) && stalls[k][1] <= f.begin {
			k++
		}
		last := k
		for last < len(stalls) && stalls[last][0] < f.end {
			last++
		}
		longest := stalled(stalls[k:last], f.begin, f.end)
		r.Pacing.Stalls += uint64(last - min(last, max(k, counted)))
		counted = max(counted, last)
		r.Pacing.LongestStall = max(r.Pacing.LongestStall, longest)
		if len(r.Windows) > 0 && !f.prime {
			r.Windows[f.window].GeneratorGap = longest
		}
	}
}
