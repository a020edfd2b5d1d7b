package sweep

import (
	"math"
	"time"
)

// leftOutLimit is the share of windows without which there is no number.
const leftOutLimit = .4

// stallTimes is how many times the delay of a full buffer a frame has to wait
// until a window looks interrupted. Waves of a machine make a queue's delay
// longer by tens of per cent, an interruption of a millisecond by 300.
const stallTimes = 3

// preempted is the share of the time that a ring lasts for which the DUT's threads may be kept
// from their CPUs.
const preempted = .75

// idle is the share of a window for which a DUT may have nothing to do because the generator
// stood still.
const idle = .005

// around is how many loads on either side are a load's neighbours: with few
// windows of each, half of those of one load are interrupted by chance.
const around = 2

// outside says which evidence from outside of the DUT there is against a
// window; "": none.
//
// A generator that stood still lets the DUT's queue run empty, and what it held up leaves as
// 64 frames at once and then 1/64 faster. Neither harms as long as the queue has frames: a ring
// of B of them lasts B / rate, of what was forwarded where that is less than the load. After that
// the DUT has nothing to do, and a window counts where that is for no more than half a per cent
// of it. Two CPUs, of which the generator shares its own with the receiver, leave gaps of half a
// ring to a whole one in every window at the rate that both can carry. The receiver's gaps are no
// evidence: those of a DUT that stood still look the same.
func (g Goal) outside(s sample) string {
	r, rate := s.result, s.load()
	if s.rate > 0 {
		rate = min(rate, s.rate)
	}
	ring := min(g.ring()/rate, time.Minute.Seconds()) * float64(time.Second)
	switch {
	case r.Received > r.Sent || r.PrimeReceived > r.PrimeSent:
		return Unknown
	case r.GeneratorGap > time.Duration(ring+idle*float64(s.window.Duration)):
		return GeneratorStood
	case r.Sent == 0:
		return Unknown
	case r.Preempted > time.Duration(preempted*ring):
		return Preempted
	case g.isShort(s, 0):
		return Unsent
	}
	return ""
}

// isShort reports whether less was sent of a window than asked, in the time for which the
// generator did not stand still.
func (g Goal) isShort(s sample, stood time.Duration) bool {
	asked := s.window.Intended * (s.window.Duration - min(stood, s.window.Duration)).Seconds()
	if s.window.Side == 0 {
		asked *= float64(g.Ports)
	}
	return float64(s.result.Sent) < .99*asked-2
}

// beyond tells of each load whether it is simply more than the tester can send: most of its
// windows were sent short. A generator that is behind also stands still, while what it sent comes
// back; where no lower load was sent as asked, either, it stood still for another reason.
func beyond(samples []sample) map[float64]bool {
	out := map[float64]bool{}
	sends := false
	for _, c := range columns(samples, func(*sample) bool { return true }) {
		n, short := 0, 0
		for _, s := range c.windows {
			if s.reason == Unsent || s.behind {
				short++
			}
			if s.reason == Unsent || s.behind && sends {
				n++
			}
		}
		out[c.load] = 2*n > len(c.windows)
		sends = sends || short == 0
	}
	return out
}

// reasons counts the windows that were left out, by name, and their share, but for
// those that were not sent of a load beyond the tester.
func reasons(samples []sample) (out []Reason, share float64) {
	beyond := beyond(samples)
	counts := map[string]int{}
	left, of := 0, 0
	for _, s := range samples {
		if (s.reason == Unsent || s.behind) && beyond[s.load()] {
			continue
		}
		of++
		if s.reason != "" {
			left++
			counts[s.reason]++
		}
	}
	for _, name := range []string{GeneratorStood, Preempted, Unsent, Unknown} {
		if n := counts[name]; n > 0 {
			out = append(out, Reason{Name: name, Windows: n, Share: float64(n) / float64(of)})
		}
	}
	switch {
	case of > 0:
		share = float64(left) / float64(of)
	case len(samples) > 0:
		share = 1
	}
	return out, share
}

// stalls marks the windows that look interrupted: a run of lost frames longer
// than the buffer, or a delay far above what a full buffer takes. An
// interruption that at least half of the windows of a load and its neighbours
// have is how the DUT takes that load, and none of that load's is marked.
func (g Goal) stalls(samples []sample, buffer, rate float64) {
	if !(rate > 0) {
		return
	}
	lost := buffer
	if g.Buffer == 0 {
		lost = g.medium() // a large buffer that is full loses no more at once than a small one
	}
	full := time.Duration(min(buffer/rate*float64(time.Second), math.MaxInt64/8))
	for i := range samples {
		s := &samples[i]
		s.stall = 0
		if s.reason != "" {
			continue
		}
		run := time.Duration(float64(s.result.LostRun) / s.load() * float64(time.Second))
		if float64(s.result.LostRun) > lost || s.result.Delay > stallTimes*full {
			s.stall = max(run, s.result.Delay-full, 1)
		}
	}
	cs := columns(samples, (*sample).counts)
	always := make([]bool, len(cs))
	for i := range cs {
		n, of := 0, 0
		for _, c := range cs[max(0, i-around):min(len(cs), i+around+1)] {
			for _, s := range c.windows {
				of++
				if s.stall > 0 {
					n++
				}
			}
		}
		always[i] = 2*n >= of
	}
	for i, c := range cs {
		for _, s := range c.windows {
			if always[i] {
				s.stall = 0
			}
		}
	}
}

// counts reports whether there is no evidence against a window.
func (s *sample) counts() bool { return s.reason == "" }

// quiet reports whether it does not look interrupted either.
func (s *sample) quiet() bool { return s.reason == "" && s.stall == 0 }

// interruptions sums up the marked windows: successive ones are one
// interruption.
func interruptions(samples []sample) (out Interruptions) {
	var span, now time.Duration
	var lengths []float64
	counted := 0
	end := func() {
		if now > 0 {
			lengths = append(lengths, float64(now))
			out.Longest = max(out.Longest, now)
		}
		now = 0
	}
	for i, s := range samples {
		if i > 0 && samples[i-1].pass != s.pass || s.stall == 0 {
			end()
		}
		if !s.counts() {
			continue
		}
		counted++
		span += s.window.Length()
		if s.stall > 0 {
			out.Windows++
			now += s.stall
		}
	}
	end()
	if counted == 0 {
		return out
	}
	out.Rate = float64(len(lengths)) / span.Seconds()
	out.Share = float64(out.Windows) / float64(counted)
	out.Median = time.Duration(median(lengths))
	return out
}
