package xdp

import (
	"math"
	"testing"
	"time"
)

// endless asks for a rate for as long as a test may take.
func endless(rate float64, start time.Duration) Order {
	return Order{Start: start, Load: Load{Rate: rate, Duration: 1e6 * time.Second}}
}

// Frames leave at their places in the schedule, exactly, however odd the rate.
func TestPacerKeepsTheSchedule(t *testing.T) {
	for _, rate := range []float64{7, 1e3, 29_999.7, 333_333, 1e6} {
		const start, frames = 12345 * time.Second, 5000
		p := NewPacer(endless(rate, start), 1)
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

// What keeps the sender is a pause where a frame was due and it is long for this sender.
func TestPacerKnowsPauses(t *testing.T) {
	for _, c := range []struct {
		rate         float64
		every, pause time.Duration // between two calls of Due
		want         time.Duration
	}{
		{0, time.Microsecond, 3 * time.Second, 3 * time.Second},
		{1e6, time.Microsecond, 3 * time.Second, 3 * time.Second},
		{0, 2 * time.Millisecond, 10 * time.Millisecond, 0}, // it is as slow as that
		{0, 2 * time.Millisecond, 100 * time.Millisecond, 0},
		{0, 2 * time.Millisecond, 3 * time.Second, 3 * time.Second},
		{0, time.Microsecond, 5 * time.Millisecond, 0},
		{1, time.Microsecond, 100 * time.Millisecond, 0}, // nothing was due
	} {
		p := NewPacer(endless(c.rate, 0), 1)
		now := time.Second / 4
		for range 1000 {
			p.Due(now)
			now += c.every
		}
		now += c.pause - c.every
		p.Due(now)
		s := Sent{Loads: p.Departed()}
		if s.Paused() != c.want || c.rate == 0 && p.Longest != c.want {
			t.Errorf("%+v: paused %v, longest %v", c, s.Paused(), p.Longest)
		}
	}
}

// After a stall at most a burst leaves at once, then frames follow faster than
// the rate by the stated share until the schedule is met.
func TestPacerMakesUpForAStallGently(t *testing.T) {
	const rate, stall = 100e3, 10 * time.Millisecond
	const period = time.Second / rate
	o := endless(rate, 0)
	p := NewPacer(o, 1)
	now := stall
	at := func() (n int) {
		for p.Due(now) {
			n++
		}
		return n
	}
	if n := at(); n != o.BackToBack() {
		t.Errorf("%d frames left at once, want the burst of %d", n, o.BackToBack())
	}
	if p.Stalls == 0 || p.Longest != stall {
		t.Errorf("%d stalls, longest %v; want some, %v", p.Stalls, p.Longest, stall)
	}
	left := o.BackToBack()
	for now < stall*(makeUp+1) {
		now += period / 4
		if n := at(); n > 1 {
			t.Fatalf("%d frames left at once %v after the stall", n, now-stall)
		} else {
			left += n
		}
		if most := float64(o.BackToBack()) + (now-stall).Seconds()*rate*makeUp/(makeUp-1)*1.001 + 1; float64(left) > most {
			t.Fatalf("%d frames left within %v after the stall, more than %.0f", left, now-stall, most)
		}
	}
	if want := int(now.Seconds() * rate); left < want-1 || left > want+1 {
		t.Errorf("%d frames left until %v, want the %d of the schedule", left, now, want)
	}
}

func TestPacerWithoutARate(t *testing.T) {
	p := NewPacer(endless(0, time.Second), 1)
	if p.Due(time.Second - 1) {
		t.Error("a frame left before the start")
	}
	for range 1000 {
		if !p.Due(time.Second) || p.Wait(time.Second) != 0 {
			t.Fatal("a frame had to wait")
		}
	}
	if p.Stalls != 0 {
		t.Errorf("%d stalls", p.Stalls)
	}
}

// departures are the times at which frames leave by a pacer that is asked
// whenever it says.
func departures(o Order) (at []time.Duration) {
	p := NewPacer(o, 1)
	for now := o.Start; !p.Done(now); now += p.Wait(now) {
		for p.Due(now) {
			at = append(at, now-o.Start)
		}
	}
	return at
}

// A second load begins at its time, at its rate, and the numbers of frames are
// those that were asked for.
func TestPacerChangesLoad(t *testing.T) {
	o := Order{
		Start: time.Hour,
		Load:  Load{Rate: 1000, Duration: 100 * time.Millisecond, Frames: 100},
		Then:  []Load{{Rate: 500, Duration: 200 * time.Millisecond, Frames: 100, Phase: 300 * time.Microsecond}},
	}
	at := departures(o)
	if len(at) != 200 {
		t.Fatalf("%d frames left, want 200", len(at))
	}
	for i, got := range at {
		want := time.Duration(i) * time.Millisecond
		if i >= 100 {
			want = o.Duration + o.Then[0].Phase + time.Duration(i-100)*2*time.Millisecond
		}
		if got != want {
			t.Errorf("frame %d left at %v, want %v", i, got, want)
		}
	}
}

// What the first load has not sent by its end does not delay the second one.
func TestPacerGivesUpTheFirstLoad(t *testing.T) {
	o := Order{
		Load: Load{Rate: 1000, Duration: 100 * time.Millisecond, Frames: 100},
		Then: []Load{{Rate: 1000, Duration: 100 * time.Millisecond, Frames: 100}},
	}
	p := NewPacer(o, 1)
	n := 0
	for now := 101 * time.Millisecond; !p.Done(now); now += p.Wait(now) {
		for p.Due(now) {
			n++
		}
	}
	if n != 100 {
		t.Errorf("%d frames left, want the 100 of the second load", n)
	}
}

// windowed has a window of each load, with silences between them.
func windowed(start time.Duration) Order {
	const ms = time.Millisecond
	return Order{
		Start: start,
		Load:  Load{Rate: 100e3, Duration: 5 * ms, Frames: 500, Silence: ms},
		Then: []Load{
			{Rate: 400e3, Duration: 5 * ms, Frames: 2000, Silence: 2 * ms, Side: 2},
			{Rate: 10e6, Duration: ms / 10, Frames: 1000},
			{Rate: 50e3, Duration: 5 * ms, Frames: 250},
		},
	}
}

// Each window begins at its time, whatever the one before it did, and what left
// is known of each.
func TestPacerKeepsWindows(t *testing.T) {
	o := windowed(time.Hour)
	begins := []time.Duration{0, 6e6, 13e6, 13.1e6}
	stalled := func(now time.Duration) bool { // the second window finds no CPU in its first half
		return now-o.Start > begins[1] && now-o.Start < begins[1]+2500*time.Microsecond
	}
	for _, stall := range []bool{false, true} {
		p := NewPacer(o, 2)
		var left [4][]time.Duration
		var sides [4]map[int]bool
		for now := o.Start; !p.Done(now); now += max(p.Wait(now), 1) {
			for !(stall && stalled(now)) && p.Due(now) {
				at := 4 - len(p.schedules)
				if left[at] == nil {
					sides[at] = map[int]bool{}
				}
				left[at] = append(left[at], now-o.Start)
				sides[at][p.Side(len(left[at])%2)] = true
			}
		}
		for i, l := range o.loads() {
			departed := p.Departed()[i]
			if int(departed.Frames) != len(left[i]) {
				t.Errorf("window %d: %d frames left, it says %d", i, len(left[i]), departed.Frames)
			}
			if first, last := left[i][0], left[i][len(left[i])-1]; first < begins[i] || last > begins[i]+l.Duration+l.Silence {
				t.Errorf("window %d: frames left from %v to %v", i, first, last)
			}
			if want := map[bool]int{true: 1, false: 2}[l.Side > 0]; len(sides[i]) != want || l.Side > 0 && !sides[i][l.Side-1] {
				t.Errorf("window %d: sides %v", i, sides[i])
			}
			late := stall && i == 1
			if whole := departed.Frames == l.Frames; whole == late || (departed.Longest > 2*time.Millisecond) != late {
				t.Errorf("window %d, stalled %v: %+v of %d frames", i, late, departed, l.Frames)
			}
		}
	}
}

// Bursts leave at once, and so far apart that the load is kept. The last one is
// what is left.
func TestPacerSendsBursts(t *testing.T) {
	at := departures(Order{Load: Load{Rate: 3000, Duration: time.Second, Frames: 100, Burst: 16}})
	if len(at) != 100 {
		t.Fatalf("%d frames left, want 100", len(at))
	}
	for i, got := range at {
		due := float64(i/16) * 16 / 3000
		if off := got.Seconds() - due; math.Abs(off) > 10e-9 {
			t.Errorf("frame %d left %g s from its place", i, off)
		}
	}
}

// With a number of frames and no duration the pacer sends until it has.
func TestPacerCounts(t *testing.T) {
	if at := departures(Order{Load: Load{Frames: 12345}}); len(at) != 12345 {
		t.Errorf("%d frames left, want 12345", len(at))
	}
}
