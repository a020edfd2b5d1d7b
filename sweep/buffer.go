package sweep

import (
	"math"
	"time"
)

// What is known of the buffer of a DUT where the goal does not say it.
const (
	// usualRing is the buffer that is assumed as long as nobody knows: that of veth,
	// and of most network cards' receive rings as their drivers set them up.
	usualRing = 256
	// settledDelay is the quantile of delays that is taken: interruptions make some of
	// them longer, nothing makes those of a full buffer shorter.
	settledDelay = .25
)

// ring is how many frames the DUT holds, as far as it is known by now: what the goal
// says, or what is usual, or what the past has shown where that is more.
func (g Goal) ring() float64 { return max(g.medium(), g.learned) }

// medium is how many frames the ring on the way to what limits the DUT holds: what was
// learned is of all queues together.
func (g Goal) medium() float64 {
	if g.Buffer > 0 {
		return float64(g.Buffer)
	}
	return usualRing
}

// held is how many frames the DUT is known to hold, by the goal or by the past; 0:
// nobody knows.
func (g Goal) held() float64 {
	if g.Buffer > 0 {
		return float64(g.Buffer)
	}
	return g.learned
}

// knowing is a goal that knows what the past shows of the buffer, of a DUT of which
// the goal says nothing: a window that lost frames had it full, and the frame that
// waited longest went through all of it. What has no queue, as a policer, does not
// show itself in this.
func (g Goal) knowing(past []Pass) Goal {
	if g.Buffer > 0 {
		return g
	}
	var held []float64
	for _, s := range g.samples(past) {
		if s.loss > overloads && s.result.Received > 0 && (s.window.Prime == nil || s.fills()) {
			held = append(held, s.wait.Seconds()*s.drained())
		}
	}
	if held := quantile(held, settledDelay); held >= primeLeast {
		return g.holding(held)
	}
	return g
}

// holding is a goal that knows how many frames were seen to be held, where it does not
// say so itself.
func (g Goal) holding(frames float64) Goal {
	if g.Buffer == 0 {
		g.learned = frames
	}
	return g
}

// wait sets for how long frames of a window waited, at most, beyond what the quickest
// of all took, and how much of that the buffer had room for when it began: nothing
// where it was primed with success, or else what those of the window before have not
// waited for, as far as the silence after it was too short for them.
func wait(samples []sample) {
	quickest := time.Duration(math.MaxInt64)
	for _, s := range samples {
		if s.result.Received > 0 {
			quickest = min(quickest, s.result.Delay)
		}
	}
	for i := range samples {
		s := &samples[i]
		if s.result.Received == 0 {
			continue
		}
		s.wait = s.result.Delay - quickest
		if s.room = s.wait; i > 0 && samples[i-1].pass == s.pass {
			before := &samples[i-1]
			s.room = max(0, s.wait-max(0, before.wait-before.window.Silence))
		}
		if s.fills() {
			s.room = 0
		}
	}
}

// drained is what left the DUT of a window, in frames/s per port: what it received has
// filled the buffer as well.
func (s *sample) drained() float64 { return s.rate * s.span() / (s.span() + s.room.Seconds()) }
