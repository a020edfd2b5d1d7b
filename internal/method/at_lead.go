package method

import (
	"math"
	"slices"

	"weir"
	"weir/search"
)

// leadRate returns the capacity of the speed that leads, in frames/s per port; 0 where there
// is one.
func (s *session) leadRate() (rate float64) {
	for _, v := range s.speeds.measured {
		if v.Lead {
			rate = v.Capacity
		}
	}
	return rate
}

// observeAtLead returns the trials of one load as a search sees them at the speed that leads,
// without those that hardly met it.
func (s *session) observeAtLead(loss float64) (out []search.Observation) {
	all, fastest := s.listTimed(), s.leadRate()*leastSpeedRatio > s.findFastest()
	for _, t := range all {
		o := s.observation(t)
		sent, received := s.countAtLead(t, fastest)
		if sent == 0 || sent < leastAtSpeed*float64(t.Offered) {
			continue
		}
		if o.Loss > loss && !t.Inconclusive(loss) {
			o.Loss = 1 - (1-o.Unsent)*min(received, sent)/sent
			o.Forwarded = o.Load * (1 - o.Loss)
		}
		out = append(out, o)
	}
	return out
}

// countAtLead returns what a trial sent and received while the DUT had the speed that leads:
// without steps that show a slower one, or a part of which was. Where nothing is lost of a
// load that is above it, the DUT had a faster one, unless that which leads is the fastest.
func (s *session) countAtLead(t weir.TrialResult, fastest bool) (sent, received float64) {
	all, lead := t.Timeline.Intervals, s.leadRate()
	for i := 1; i < len(all)-2; i++ {
		lost := all[i].Received < all[i].Sent
		switch {
		case !lost && !fastest && t.Trial.Intended > lead*(1+sameSpeed):
		case lost && (s.isSlower(t, i, lead) || s.hasSpeed(t, i-1, lead) || s.hasSpeed(t, i+1, lead)):
		default:
			sent, received = sent+float64(all[i].Sent), received+float64(all[i].Received)
		}
	}
	return sent, received
}

// isSlower reports whether a step of a trial that lost frames shows a speed that is slower
// than the one that leads, or was at such a speed in part.
func (s *session) isSlower(t weir.TrialResult, i int, lead float64) bool {
	v, rate := t.Timeline.Intervals[i], s.rateIn(t, i)
	short := float64(v.Sent-v.Received) > leastShort*float64(v.Sent) && rate < lead*(1-sameSpeed)
	return s.hasSpeed(t, i, lead) || short && slices.ContainsFunc(s.slowerThan(lead, t), func(c float64) bool { return rate > c*(1-sameSpeed) })
}

// hasSpeed reports whether a step of a trial lost frames at the rate of a speed that is slower
// than the one that leads.
func (s *session) hasSpeed(t weir.TrialResult, i int, lead float64) bool {
	v, rate := t.Timeline.Intervals[i], s.rateIn(t, i)
	return v.Received < v.Sent && slices.ContainsFunc(s.slowerThan(lead, t), func(c float64) bool { return math.Abs(math.Log(rate/c)) < sameSpeed })
}

// rateIn returns what came back in a step of a trial, in frames/s per port.
func (s *session) rateIn(t weir.TrialResult, i int) float64 {
	all := t.Timeline.Intervals
	return float64(all[i].Received) / (all[i+1].From - all[i].From).Seconds() / s.ports()
}

// slowerThan returns the known speeds that are slower than the one that leads, and lose frames
// of the load of a trial, in frames/s per port.
func (s *session) slowerThan(lead float64, t weir.TrialResult) (out []float64) {
	for _, v := range slices.Concat(s.speeds.known, s.speeds.measured) {
		if v.Capacity*leastSpeedRatio < lead && t.Trial.Intended > .99*v.Capacity {
			out = append(out, v.Capacity)
		}
	}
	return out
}
