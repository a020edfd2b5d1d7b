package xdp

import (
	"math"
	"testing"
	"time"
)

// Frames leave at their places in the schedule, exactly, however odd the rate.
func TestPacerKeepsTheSchedule(t *testing.T) {
	for _, rate := range []float64{7, 1e3, 29_999.7, 333_333, 1e6} {
		const start, frames = 12345 * time.Second, 5000
		p := NewPacer(rate, start)
		now := start
		for n := range frames {
			if w := p.Wait(now); w > 0 && p.Due(now+w-1) {
				t.Fatalf("%g frames/s: frame %d left early", rate, n)
			}
			now += p.Wait(now)
			if !p.Due(now) {
				t.Fatalf("%g frames/s: frame %d was not due at its time", rate, n)
			}
			if off := math.Abs((now-start).Seconds()*rate - float64(n)); off > 1e-6*float64(n)+rate*2e-9 {
				t.Fatalf("%g frames/s: frame %d left %g frames from its place", rate, n, off)
			}
		}
		if p.Stalls != 0 || p.Longest != 0 {
			t.Errorf("%g frames/s: %d stalls of up to %v without a stall", rate, p.Stalls, p.Longest)
		}
	}
}

// After a stall at most a burst leaves at once, then frames follow faster than
// the rate by the stated share until the schedule is met.
func TestPacerMakesUpForAStallGently(t *testing.T) {
	const rate, stall = 100e3, 10 * time.Millisecond
	const period = time.Second / rate
	p := NewPacer(rate, 0)
	now := stall
	at := func() (n int) {
		for p.Due(now) {
			n++
		}
		return n
	}
	if n := at(); n != p.Burst() {
		t.Errorf("%d frames left at once, want the burst of %d", n, p.Burst())
	}
	if p.Stalls == 0 || p.Longest != stall {
		t.Errorf("%d stalls, longest %v; want some, %v", p.Stalls, p.Longest, stall)
	}
	left := p.Burst()
	for now < stall*(makeUp+1) {
		now += period / 4
		if n := at(); n > 1 {
			t.Fatalf("%d frames left at once %v after the stall", n, now-stall)
		} else {
			left += n
		}
		if most := float64(p.Burst()) + (now-stall).Seconds()*rate*makeUp/(makeUp-1)*1.001 + 1; float64(left) > most {
			t.Fatalf("%d frames left within %v after the stall, more than %.0f", left, now-stall, most)
		}
	}
	if want := int(now.Seconds() * rate); left < want-1 || left > want+1 {
		t.Errorf("%d frames left until %v, want the %d of the schedule", left, now, want)
	}
}

func TestPacerWithoutARate(t *testing.T) {
	p := NewPacer(0, time.Second)
	if p.Due(time.Second - 1) {
		t.Error("a frame left before the start")
	}
	for range 1000 {
		if !p.Due(time.Second) || p.Wait(time.Second) != 0 {
			t.Fatal("a frame had to wait")
		}
	}
	if p.Stalls != 0 || p.Grace() != 0 {
		t.Errorf("%d stalls, %v of grace", p.Stalls, p.Grace())
	}
}
