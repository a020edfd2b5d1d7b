package method

import (
	"fmt"
	"math"

	"weir"
	"weir/internal/claim"
	"weir/search"
)

// result puts together what was measured until now.
func (o *overloaded) result() weir.Result {
	r := o.session.result("frames/s")
	r.Curve, r.Width = o.curve, o.params.Width
	if len(o.curve) == 0 {
		return r
	}
	r.Value = o.mlfrr.Lower * o.ports()
	r.Lower, r.Upper = r.Value, o.mlfrr.Upper*o.ports()
	mfr := 0.
	figure := func(name string, value float64, unit string) {
		r.Figures = append(r.Figures, weir.Figure{Name: name, Value: value, Unit: unit})
	}
	most := o.curve[o.highest()]
	_, limit := o.limit()
	beyond := o.overloads()
	if o.topped {
		best := o.best()
		mfr = best.ForwardingRate()
		figure("MFR", mfr, "frames/s")
		figure("load at the MFR", best.OfferedRate(), "frames/s")
		figure("FRMOL", most.Forwarded, "frames/s")
		figure("maximum offered load", most.Offered, "frames/s")
	}
	switch {
	case mfr > 0 && !beyond:
		r.Verdict = notOverloaded
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: weir.SearchLimit, Text: fmt.Sprintf(
			"nothing was lost at any load, up to the %.0f frames/s that %s allows: the DUT was not overloaded, and may do more", most.Offered, limit)})
	case mfr > 0:
		index := most.Forwarded / mfr
		figure("index FRMOL/MFR", index, "")
		figure("largest difference between up and down", o.hysteresis()/mfr, "")
		r.Verdict = verdict(index)
	}
	if !o.topped || !o.mlfrr.Done {
		r.Verdict = claim.NotEnded
	}
	if o.blind != nil {
		figure("FRMOL without probes", o.blind.ForwardingRate(), "frames/s")
	}
	if t := o.recovered; t != nil && t.Timeline != nil && t.Timeline.LastLoss > 0 && !lostToTheEnd(*t) {
		figure("recovery time", max(0, t.Timeline.LastLoss-t.Trial.Duration).Seconds(), "s")
		figure("resolution of the recovery time", t.Timeline.Known().Seconds(), "s")
	}
	o.represent(&r, o.shown[o.highest()])
	doubt(&r, o.shown[o.highest()])
	switch {
	case !o.mlfrr.Done:
	case o.mlfrr.Limited == search.ByTester:
		r.Warnings = weir.AddWarning(r.Warnings, beyondTester(r.Upper))
	case o.mlfrr.Limited == search.ByMaximum && beyond:
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: weir.NoisyResult, Text: fmt.Sprintf(
			"frames were lost on the way up, and none in the search up to %.0f frames/s: repeat with longer or more trials", r.Upper)})
	}
	if t := o.recovered; t != nil && t.Timeline != nil && lostToTheEnd(*t) {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: weir.SearchLimit, Text: fmt.Sprintf(
			"after the overload frames were lost until the end: the DUT takes more than %v to recover; give it more time (settled)", o.params.Settled)})
	}
	o.claim(&r)
	return r
}

// best is the trial with the highest forwarding rate, of the curve and of the
// search.
func (o *overloaded) best() weir.TrialResult {
	var best weir.TrialResult
	for _, t := range o.trials {
		if t.Trial.Then == nil && t.ForwardingRate() > best.ForwardingRate() {
			best = t
		}
	}
	return best
}

// highest is the point of the curve with the highest offered load.
func (o *overloaded) highest() int {
	highest := 0
	for i, p := range o.curve {
		if p.Offered > o.curve[highest].Offered {
			highest = i
		}
	}
	return highest
}

// hysteresis is the largest difference of the forwarding rates of one load on
// the way up and down, in frames/s: what the DUT, or the machine, kept from
// the overload.
func (o *overloaded) hysteresis() float64 {
	was := make(map[float64]float64)
	largest := 0.
	for _, p := range o.curve {
		if p.Branch == up {
			was[p.Intended] = p.Forwarded
		} else if before, ok := was[p.Intended]; ok {
			largest = max(largest, math.Abs(p.Forwarded-before))
		}
	}
	return largest
}

func verdict(index float64) string {
	switch {
	case index < livelockBelow:
		return livelocked
	case index < degradingBelow:
		return degrading
	}
	return graceful
}
