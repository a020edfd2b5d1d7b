package sim

import (
	"math"
	"testing"
	"time"

	"weir"
)

// frameByFrame is what becomes of windows when each frame is looked at by
// itself.
func frameByFrame(d dut, t weir.Trial) (out []weir.WindowResult) {
	phases := windowPhases(t)
	stretches := d.stretches(phases[len(phases)-1].end + 1)
	noise := d.windowNoise(len(t.Windows))
	type pace struct{ until, rate float64 }
	var paces []pace // of the whole trial
	at := 0.
	for i, w := range t.Windows {
		end := math.Inf(1)
		if i < len(t.Windows)-1 {
			end = at + w.Length().Seconds()
		}
		for _, s := range stretches {
			if s.end > at && (len(paces) == 0 || paces[len(paces)-1].until < end) {
				paces = append(paces, pace{min(s.end, end), d.capacity * s.pace * noise[i]})
			}
		}
		at = end
	}
	// serve is when so many more frames are served from a time on, at most until.
	k := 0
	serve := func(k int, from, frames, until float64) (at, left float64, next int) {
		for {
			end := min(paces[k].until, until)
			if can := (end - from) * paces[k].rate; can >= frames && paces[k].rate > 0 {
				return from + frames/paces[k].rate, 0, k
			} else if from, frames = end, frames-can; end == until {
				return until, frames, k
			}
			k++
		}
	}
	out = make([]weir.WindowResult, len(t.Windows))
	var queued, now float64
	for _, f := range phases {
		w := &out[f.window]
		run, last := uint64(0), math.Inf(1)
		for n := range int(f.to - f.from) {
			sent := f.when(f.from + float64(n))
			if sent > now {
				_, queued, k = serve(k, now, math.Max(queued, 0), sent)
				for paces[k].until <= sent {
					k++
				}
				now = sent
			}
			if f.prime {
				w.PrimeSent++
			} else {
				w.Sent++
			}
			if queued+1 > float64(d.Buffer)+.5 {
				if run++; !f.prime {
					w.LostRun = max(w.LostRun, run)
				}
				continue
			}
			run = 0
			left, _, _ := serve(k, sent, queued+1e-9, math.Inf(1))
			queued++
			if f.prime {
				w.PrimeReceived++
				continue
			}
			w.Received++
			w.Delay = max(w.Delay, seconds(left-sent))
			w.ReceiverGap = max(w.ReceiverGap, seconds(left-last))
			last = left
		}
	}
	return out
}

// The queue of whole pieces of a trial is the one through which frames go one
// by one. Few windows differ by a frame that just so finds room, or does not, in
// a ring that stands still: it has a delay of its own.
func TestSimFrameByFrame(t *testing.T) {
	const seeds = 3
	single := 0
	for seed := range uint64(seeds) {
		c := shared(seed)
		c.Latency = 0
		trial := schedule()
		_, got := measuredWindows(t, c, trial)
		for i, want := range frameByFrame(inTrial(t, c, 1), trial) {
			g := got[i]
			off := func(what string, a, b, allowed float64) {
				if math.Abs(a-b) > allowed {
					t.Errorf("seed %d, window %d: %s %v, frame by frame %v:\n%+v\n%+v", seed, i+1, what, a, b, g, want)
				}
			}
			off("sent", float64(g.Sent), float64(want.Sent), 0)
			off("received", float64(g.Received), float64(want.Received), 3)
			off("received of the prime", float64(g.PrimeReceived), float64(want.PrimeReceived), 3)
			off("run", float64(g.LostRun), float64(want.LostRun), 3)
			if (g.Delay-want.Delay).Abs() > 10*time.Microsecond || (g.ReceiverGap-want.ReceiverGap).Abs() > 10*time.Microsecond {
				single++
			}
		}
	}
	if single > seeds*500/100 {
		t.Errorf("%d of %d windows have other delays than frame by frame", single, seeds*500)
	}
}
