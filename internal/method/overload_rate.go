package method

import (
	"math"
	"time"

	"weir"
	"weir/sweep"
)

// mlfrr is the highest load that is received without loss, frames/s over all
// ports, and what of it can be defended.
type mlfrr struct {
	weir.Bounds         // all 0: there is none
	all         float64 // the same of all windows, none left out; 0: there is none
	windows     int     // at the value that nothing disturbed, of which the median lost nothing
	lower       bool    // it lies below all loads of the sweep's last passes
	contrary    float64 // a load below the interval at which the ladder's median window lost frames; 0: there is none
}

// mlfrr is what sweep and ladder amount to. Where most windows of all loads
// around the knee lost something, lower ones show it.
func (o *overloaded) mlfrr() mlfrr {
	e, ports := o.found, o.ports()
	m := mlfrr{all: e.MLFRR * ports}
	if e.Limited == sweep.ByOutside || e.Limited == sweep.ByTime {
		return mlfrr{}
	}
	m.Bounds = o.over(e.KneeZero)
	m.Value = e.MLFRRUndisturbed * ports
	for _, p := range e.Curve {
		if p.Load == e.MLFRRUndisturbed {
			m.windows = p.Windows - p.Stalled
		}
	}
	lowest := o.lowest()
	if m.Value == 0 {
		m.lower, m.Lower = true, 0
		m.Upper = max(e.Knee.Value, lowest) * ports
		for _, r := range o.below(lowest) {
			if r.Loss > 0 {
				break
			}
			m.Value, m.Lower, m.windows = r.Load*ports, r.Load*ports, r.Windows-r.Stalled
		}
	}
	if m.all == 0 {
		for _, r := range o.below(lowest) {
			if r.All > 0 {
				break
			}
			m.all = r.Load * ports
		}
	}
	if m.Value == 0 {
		return m
	}
	if m.Lower == 0 && !m.lower {
		m.Lower = m.Value
	}
	m.Lower, m.Upper = min(m.Lower, m.Value), max(min(m.Upper, o.top()*ports), m.Value)
	o.contradict(&m)
	if d := o.shown.Drift; d > 0 { // the interval is that of one moment, and this was another
		m.Lower, m.Upper = m.Lower*min(d, 1/d), m.Upper*max(d, 1/d)
	}
	return m
}

// below are the loads below one in frames/s per port, by rising load: those of the
// way up, or where it has none, those with which the sweep began, of which there
// are three windows each.
func (o *overloaded) below(load float64) (out []sweep.Rung) {
	for _, r := range o.shown.Up {
		if r.Load < load {
			out = append(out, r)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, p := range o.found.Curve {
		if p.Load < load {
			out = append(out, sweep.Rung{Point: p, All: p.Disturbed})
		}
	}
	return out
}

// contradict holds the ladder against the interval. Its windows are of another
// moment: where they prove that a load below the interval lost frames, the
// interval goes on to there.
func (o *overloaded) contradict(m *mlfrr) {
	below := 0.
	for _, r := range o.shown.Up {
		load := r.Load * o.ports()
		if load >= m.Lower {
			return
		}
		if r.Point.Lower > 0 {
			m.contrary, m.Lower = load, below
			return
		}
		below = load
	}
}

// lowest is the lowest load of the sweep's last pass around the knee, in
// frames/s per port.
func (o *overloaded) lowest() float64 {
	for i := len(o.passes) - 1; i >= 0; i-- {
		if o.passes[i].Kind != sweep.Fine {
			continue
		}
		lowest := math.Inf(1)
		for _, w := range o.passes[i].Windows {
			lowest = min(lowest, w.Intended)
		}
		return lowest
	}
	return 0
}

// beyond is how a DUT takes the highest load: FRMOL / MFR, with an interval.
type beyond struct {
	mfr, at      float64 // frames/s over all ports, and the load at which most was forwarded
	frmol        weir.Bounds
	value        float64 // of the index
	lower, upper float64
}

// index compares what is forwarded of the highest load with the most that is
// forwarded of any.
func (o *overloaded) index() beyond {
	ports := o.ports()
	b := beyond{frmol: o.over(o.shown.Top)}
	s := o.shown
	here := max(s.Best, s.Most, s.Top.Value) // the most that the ladder saw
	b.mfr = max(o.found.MFR, here) * ports
	if here == 0 {
		return b
	}
	most := 0.
	for _, p := range o.found.Curve {
		if p.Forwarded > most {
			most, b.at = p.Forwarded, p.Load*ports
		}
	}
	for _, r := range o.shown.Up {
		if r.Forwarded > most {
			most, b.at = r.Forwarded, r.Offered*ports
		}
	}
	if s.Best > 0 && s.Index.Upper > 0 {
		// Both are of the same moment, whatever the machine did between this one and
		// that of the sweep.
		scale := s.Best / here
		b.value, b.lower, b.upper = s.Index.Value*scale, s.Index.Lower*scale, s.Index.Upper*scale
		return b
	}
	b.value, b.lower, b.upper = s.Top.Value/here, s.Top.Lower/here, s.Top.Upper/here
	return b
}

// recoveryOf is how long after an overload frames are still lost: until the first
// stretch of the load after it in which none is, of a length that no single
// interruption leaves. Later says that frames were lost again after that.
func recoveryOf(t weir.TrialResult) (seconds float64, later bool) {
	tl, change := t.Timeline, t.Trial.Duration
	// Of few frames a short stretch says nothing.
	gap := time.Duration(float64(time.Second) / (t.Trial.Then.Intended * float64(t.Trial.Traffic.Ports())))
	stretch := max(quietStretch, 20*gap)
	last := tl.LastLoss
	if tl.More == 0 {
		last = change
		for _, e := range tl.Episodes {
			if e.Until <= change {
				continue
			}
			if e.From > last+stretch {
				later = true
				break
			}
			last = max(last, e.Until)
		}
	}
	return max(0, last-change).Seconds(), later
}
