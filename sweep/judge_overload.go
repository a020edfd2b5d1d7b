package sweep

import (
	"slices"
)

// coarseTells is the share that three windows a load can tell from one.
const coarseTells = .8

// bounds sets what is not interpolated.
func (j *judgement) bounds() {
	all := func(*sample) bool { return true }
	missing := func(s *sample) float64 { return s.missing(j.Ports) }
	loss := func(s *sample) float64 { return s.loss }
	j.e.Conditional, j.e.ConditionalRate = bounded(j.fine, j.Loss, missing, all)
	j.e.MLFRR, _ = bounded(j.fine, 0, missing, all)
	j.e.MLFRRUndisturbed, _ = bounded(j.fine, 0, loss, (*sample).quiet)
}

// overload sets what is known of loads beyond the knee.
func (j *judgement) overload() {
	e := &j.e
	e.MFR, e.FRMOL = most(j.fine, nil), topmost(append(slices.Clone(j.coarse), j.fine...), median)
	if e.Knee.Value <= 0 {
		return
	}
	e.Saturated = j.saturated(saturations(j.fine, e.Knee.Value, (*sample).quiet))
	e.SaturatedDisturbed = j.saturated(saturations(j.fine, e.Knee.Value, (*sample).counts))
	if e.Saturated.Value <= 0 {
		return
	}
	e.MFR = e.Saturated.Value * max(1, most(j.fine, saturations(j.fine, e.Knee.Value, (*sample).quiet)))
	e.Ratio = e.Saturated.Value / (e.Knee.Value * (1 - j.Loss))
	e.Index = e.Saturated.Value / e.MFR
	worst := e.Index
	// The highest loads are held against others of the coarse pass, which is of
	// the same moment. Of three windows the best one counts: an interruption hits
	// two of them now and then, a DUT that breaks down breaks down in all.
	if r := most(j.coarse, nil); r > 0 {
		if far := topmost(j.coarse, slices.Max[[]float64]) / r; far < coarseTells {
			worst = min(worst, far)
		}
	}
	e.Verdict = Graceful
	switch {
	case worst < .1:
		e.Verdict = Livelock
	case worst < .9:
		e.Verdict = Degrading
	}
}
