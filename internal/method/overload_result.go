package method

import (
	"time"

	"weir"
	"weir/internal/claim"
	"weir/sweep"
)

// quietStretch is for how long no frame is lost when a DUT has recovered.
const quietStretch = 5 * time.Millisecond

// result puts together what was measured until now.
func (o *overloaded) result() weir.Result {
	r := o.session.result("frames/s")
	if o.highest == nil {
		return r
	}
	e, m := o.found, o.mlfrr()
	r.Value, r.Lower, r.Upper = m.Value, m.Lower, m.Upper
	r.ExceedRatio = claim.WindowExceed
	if len(o.passes) > 0 {
		r.Sweep = o.summary(e)
		r.TrialSeconds = e.Window.Seconds()
	}
	r.Curve = o.points()
	o.represent(&r, *o.highest)
	addWarnings(&r, *o.highest)
	o.figures(&r, m)
	o.comeback(&r)
	if !o.swept || o.climbed == nil {
		r.Verdict = claim.NotEnded
	}
	if r.Verdict == notOverloaded {
		e.Flags = nil // there is no knee that they could move
	}
	o.cautions(&r, e)
	o.defend(&r, m)
	if o.session.found != nil {
		o.addFinding(&r, "some frames are lost at every load: ")
	}
	o.claim(&r)
	return r
}

// points are the curve: what the windows of the ladder show, and where a load
// had a trial of its own, what the DUT's CPUs, counters and control plane showed
// there.
func (o *overloaded) points() (out []weir.Point) {
	if o.climbed == nil {
		return nil
	}
	ports := o.ports()
	point := func(r sweep.Rung, branch string) weir.Point {
		return weir.Point{
			Trial: o.climbed.Trial.Number, Branch: branch, Intended: r.Load * ports, Offered: r.Offered * ports, Forwarded: r.Forwarded * ports,
			LossRatio: r.Loss, Unsent: unsentOf(r), WindowPoint: o.windowPoint(r.Point),
		}
	}
	for i, r := range o.shown.Up {
		p := point(r, up)
		if t := o.alive[i]; t != nil {
			load := o.session.point(*t, up)
			p.Trial, p.CPUShare, p.IdleShare, p.Drops, p.Probe = load.Trial, load.CPUShare, load.IdleShare, load.Drops, load.Probe
		}
		out = append(out, p)
	}
	for i := len(o.shown.Down) - 2; i >= 0; i-- {
		out = append(out, point(o.shown.Down[i], down))
	}
	return out
}

// unsentOf is the share of a load that the tester did not send; a frame at the
// edge of a window is none.
func unsentOf(r sweep.Rung) float64 {
	if short := 1 - r.Offered/r.Load; short > .01 {
		return short
	}
	return 0
}

// figures returns the other figures, and the verdict.
func (o *overloaded) figures(r *weir.Result, m mlfrr) {
	figure := func(name string, value float64, unit string) {
		if value > 0 {
			r.Figures = append(r.Figures, weir.Figure{Name: name, Value: value, Unit: unit})
		}
	}
	figure(claim.MLFRRAll, m.all, "frames/s")
	figure(claim.MLFRRWindows, float64(m.windows), "")
	if r.Sweep != nil {
		figure(claim.OverloadKnee, o.found.Knee.Value*o.ports(), "frames/s")
		figure("interruptions a second", o.found.Interruptions.Rate, "")
	}
	if o.climbed != nil {
		o.extremes(r, figure)
	}
	if o.blind != nil {
		figure("FRMOL with probes, one trial", o.highest.ForwardingRate(), "frames/s")
		figure(claim.BlindFRMOL, o.blind.ForwardingRate(), "frames/s")
	}
}

// extremes are the figures of the ladder, and the verdict.
func (o *overloaded) extremes(r *weir.Result, figure func(string, float64, string)) {
	b := o.index()
	top := o.shown.Up[len(o.shown.Up)-1]
	figure("MFR", b.mfr, "frames/s")
	figure("load at the MFR", b.at, "frames/s")
	r.Figures = append(r.Figures, weir.Figure{Name: "FRMOL", Value: b.frmol.Value, Unit: "frames/s"})
	figure("saturated rate", o.found.Saturated.Value*o.ports(), "frames/s")
	figure(claim.MaximumOffered, top.Offered*o.ports(), "frames/s")
	_, limit := o.limit()
	if unsentOf(top) > 0 {
		limit = limitTester
	}
	switch {
	case b.mfr == 0:
		overwhelmed(r)
	case !o.overloads():
		r.Verdict = notOverloaded
		warn(r, weir.SearchLimit, "the median window lost nothing at any load, up to the %.0f frames/s that %s allows: the DUT was not overloaded, and may do more",
			top.Offered*o.ports(), limit)
	default:
		r.Figures = append(r.Figures,
			weir.Figure{Name: "index FRMOL/MFR", Value: b.value}, weir.Figure{Name: "lower bound of the index", Value: b.lower}, weir.Figure{Name: "upper bound of the index", Value: b.upper},
			weir.Figure{Name: "largest difference between up and down", Value: o.shown.Difference * o.ports() / b.mfr})
		r.Verdict = verdict(b.value)
		if low, high := verdict(b.lower), verdict(b.upper); low != high {
			warn(r, weir.NoisyResult, "the index FRMOL/MFR lies between %.2f and %.2f: the DUT may be %s or %s; repeat on a quieter machine", b.lower, b.upper, low, high)
		}
	}
}

// comeback says how long the DUT took to recover.
func (o *overloaded) comeback(r *weir.Result) {
	t := o.recovered
	if t == nil || t.Timeline == nil || t.Timeline.LastLoss == 0 {
		return
	}
	seconds, later := recoveryOf(*t)
	if !later && lostToTheEnd(*t) {
		warn(r, weir.SearchLimit, "after the overload frames were lost until the end: the DUT takes more than %v to recover; give it more time (settled)", o.params.Phases.Settled)
		return
	}
	r.Figures = append(r.Figures,
		weir.Figure{Name: claim.OverloadRecovery, Value: seconds, Unit: "s"},
		weir.Figure{Name: "resolution of the recovery time", Value: t.Timeline.Known().Seconds(), Unit: "s"})
	if later {
		warn(r, weir.NoisyResult, "once the DUT had recovered from the overload, for %v without loss, frames were lost again: interruptions, which the recovery time does not count", quietStretch)
	}
}

// defend says whose windows the MLFRR counts, and where others contradict it.
func (o *overloaded) defend(r *weir.Result, m mlfrr) {
	e := o.found
	switch {
	case !o.swept || e.Limited == sweep.ByOutside || e.Limited == sweep.ByTime:
		return
	case m.Value == 0:
		warn(r, weir.SearchLimit, "even at the lowest load most windows lost frames: there is no MLFRR")
		return
	case m.lower:
		warn(r, weir.NoisyResult, "most windows of all loads from %.0f frames/s up lost something, and those of %.0f and less nothing: the MLFRR lies between, and up to %.0f frames/s half of the windows lost no more than 0.5 %%",
			o.lowest()*o.ports(), m.Value, e.Knee.Value*o.ports())
	}
	if m.contrary > 0 {
		warn(r, weir.NoisyResult, "at %.0f frames/s most windows lost frames on the way up, and none at higher loads in the sweep: the machine, or the DUT, changed meanwhile", m.contrary)
	}
	if e.Limited == sweep.ByTester && o.overloads() {
		warn(r, weir.SearchLimit, "the sweep saw no load at which the median window lost frames, and the ladder did: the MLFRR is no lower than %.0f frames/s", m.Value)
	}
	stalls := e.Interruptions
	if stalls.Windows == 0 && e.LeftOutShare == 0 || m.all >= (1-alikeRates)*m.Value {
		return
	}
	all := weir.Say("it is not known: most lost frames at the lowest loads, too")
	if m.all > 0 {
		all = weir.Say("it is %.0f frames/s", m.all)
	}
	warn(r, weir.NoisyResult, "the MLFRR does not count windows with interruptions: the DUT, or something that left no evidence of itself, stood still %.1f times a second, for %v in the median; and %.0f %% of the windows are left out for what befell the tester. Over all windows %s",
		stalls.Rate, stalls.Median.Round(10*time.Microsecond), 100*e.LeftOutShare, all)
}

// alikeRates is by how much two rates differ that say the same.
const alikeRates = .03

func verdict(index float64) string {
	switch {
	case index < livelockBelow:
		return livelocked
	case index < degradingBelow:
		return degrading
	}
	return graceful
}
