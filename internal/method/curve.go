package method

import (
	"context"
	"math"

	"weir"
)

// The branches of a curve.
const (
	up   = "up"
	down = "down"
)

// Ladder are the parameters of methods that go through loads step by step.
type Ladder struct {
	Step float64 // by how much the load falls or rises each time, as a share of the maximum
}

// or is l with the zero fields filled in from d.
func (l Ladder) or(d Ladder) Ladder {
	fill(&l.Step, d.Step)
	return l
}

// quicker is l cut down to what q allows.
func (l Ladder) quicker(q Ladder) Ladder {
	l.Step = max(l.Step, q.Step)
	return l
}

// steps are the shares of the maximum load that a curve goes through, from one
// step up to all of it: with a step of 0.1 these are 0.1, 0.2 ... 1.
func steps(step float64) []float64 {
	n := int(math.Round(1 / step))
	out := make([]float64, 0, n)
	for i := 1; i <= n; i++ {
		out = append(out, float64(i)/float64(n))
	}
	return out
}

// top is the load of which the steps are shares, in frames/s per port: what
// the medium carries or the tester can send; 0 when neither is known. What the
// tester can send while a DUT works may be less than it sent alone.
func (s *session) top() float64 {
	rate, by := s.limit()
	if by == limitTester && s.reach > 0 {
		return min(rate, s.reach)
	}
	return rate
}

// atShare performs one trial at a share of the maximum load, and at the
// maximum itself where that is the tester's: as much as it can, rather than as
// much as it could in the self-test.
func (s *session) atShare(ctx context.Context, share float64, t weir.Trial) (weir.TrialResult, error) {
	_, by := s.limit()
	t.Intended = share * s.top()
	if share < 1 || by != limitTester {
		return s.measure(ctx, t)
	}
	t.Intended, t.Maximum = 0, true
	r, err := s.measure(ctx, t)
	if err == nil && s.reach == 0 {
		s.reach = r.OfferedRate() / s.ports()
	}
	return r, err
}

// tries is how often a load is measured at most that the tester fails to send.
const tries = 3

// measureAtShare performs one trial at a share of the maximum load, again where it says
// nothing of its load.
func (s *session) measureAtShare(ctx context.Context, share float64, t weir.Trial) (r weir.TrialResult, err error) {
	for range tries {
		if r, err = s.atShare(ctx, share, t); err != nil || !r.Inconclusive(0) {
			break
		}
	}
	return r, err
}

// scale finds out how much the tester can send while this DUT works, for a curve
// that does not begin there.
func (s *session) scale(ctx context.Context) error {
	if _, by := s.limit(); by != limitTester || s.reach > 0 {
		return nil
	}
	_, err := s.atShare(ctx, 1, weir.Trial{})
	return err
}

// point is a trial as a point of a curve.
func (s *session) point(t weir.TrialResult, branch string) weir.Point {
	var r weir.Result
	s.represent(&r, t)
	return weir.Point{
		Trial: t.Trial.Number, Branch: branch,
		Intended: t.Trial.Intended * s.ports(), Offered: t.OfferedRate(), Forwarded: t.ForwardingRate(),
		LossRatio: t.DUTLoss(), Unsent: t.Unsent(), CPUShare: r.CPUShare, IdleShare: s.idle(t), Drops: t.Ledger.Drops, Probe: t.Probe,
	}
}

// idle is the share of the DUT's CPUs that other work could have had.
func (s *session) idle(t weir.TrialResult) float64 {
	if s.env.DUTCPUs == 0 || t.Trial.Length() <= 0 {
		return 0
	}
	return t.DUTIdle.Seconds() / (t.Trial.Length().Seconds() * float64(s.env.DUTCPUs))
}
