//go:build linux

package xdp

import (
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"weir/internal/testenv"
)

// turn lets a generator's program take turns without sending, by an order, and
// returns how far it came.
func turn(t *testing.T, g *Generator, o Order, turns uint32) Sent {
	t.Helper()
	if err := g.prepare(o); err != nil {
		t.Fatal(err)
	}
	return further(t, g, o, turns)
}

func further(t *testing.T, g *Generator, o Order, turns uint32) Sent {
	t.Helper()
	if _, err := g.program.Run(&ebpf.RunOptions{Data: g.initial, Repeat: turns}); err != nil {
		t.Fatal(err)
	}
	s, err := g.sent(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func looseGenerator(t *testing.T, o GeneratorOptions) *Generator {
	t.Helper()
	testenv.NeedRoot(t)
	tr := traffics()[0]
	g, err := NewGenerator([]Side{{Frames: builder(t, tr, tr.Forward), Port: 1}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// The number of frames is kept, whatever the time.
func TestGeneratorCounts(t *testing.T) {
	for _, rate := range []float64{0, 10e6} {
		g := looseGenerator(t, GeneratorOptions{Paced: rate > 0})
		o := Order{Start: Now(), Load: Load{Rate: rate, Frames: 1234}}
		if s := turn(t, g, o, 1e6); s.Frames != 1234 {
			t.Errorf("rate %g: %d frames, want 1234", rate, s.Frames)
		}
	}
}

// A burst leaves in turns that follow each other, and the next one not before
// its time.
func TestGeneratorSendsBursts(t *testing.T) {
	g := looseGenerator(t, GeneratorOptions{Paced: true})
	o := Order{Start: Now(), Load: Load{Rate: 1e-3, Duration: time.Hour, Burst: 16}}
	for turns, want := range map[uint32]uint64{5: 5, 16: 16, 1000: 16} {
		if s := turn(t, g, o, turns); s.Frames != want || s.Burst != 16 {
			t.Errorf("%d frames left in %d turns, in bursts of %d; want %d of 16", s.Frames, turns, s.Burst, want)
		}
	}
}

// After the frames of the first load come those of the second one, when its
// time has come.
func TestGeneratorChangesLoad(t *testing.T) {
	g := looseGenerator(t, GeneratorOptions{Paced: true, Loads: 2})
	const quickly = 100e6 // frames/s: due at once
	o := Order{
		Start: Now(),
		Load:  Load{Rate: quickly, Duration: time.Hour, Frames: 100},
		Then:  []Load{{Rate: quickly, Duration: time.Hour, Frames: 50}},
	}
	if s := turn(t, g, o, 100e3); s.Frames != 100 {
		t.Errorf("%d frames left before the second load's time, want 100", s.Frames)
	}
	// That time is over: the first load gives up, the second one is not late.
	o.Start, o.Duration, o.Then[0].Duration = Now(), time.Nanosecond, time.Hour
	o.Frames = 1 << 40
	s := turn(t, g, o, 1)
	for end, over := Now()+3*finishing, false; !over; { // the last turns begin after that
		over = Now() >= end
		s = further(t, g, o, 10e3)
	}
	first := s.Frames
	o.Frames = first // of the first load until it gave up, and of the second one
	if s = further(t, g, o, 100e3); s.Frames != first || first < 50 {
		t.Errorf("%d frames left, then %d, want both loads done", first, s.Frames)
	}
	var p generatorProgress
	if err := g.progress.Get(&p); err != nil {
		t.Fatal(err)
	}
	if p.Done != 1 || p.At != 1 || p.Limit != p.Frames {
		t.Errorf("progress %+v after both loads", p)
	}
}

// What left in each window is known, also of those whose time was over before
// the program was run, and of the one under way.
func TestGeneratorKeepsWindows(t *testing.T) {
	g := looseGenerator(t, GeneratorOptions{Paced: true, Loads: 8})
	o := windowed(0)
	o.Then[0].Side = 0
	o.Then[0].Duration, o.Then[0].Frames = 20*time.Millisecond, 8000
	o.Start = Now() - 20*time.Millisecond // the first window is over, and most of the second one
	o.Then[2].Duration = time.Hour
	for s := turn(t, g, o, 1000); ; s = further(t, g, o, 1000) {
		sum := uint64(0)
		for _, l := range s.Loads {
			sum += l.Frames
		}
		if sum != s.Frames || len(s.Loads) != 4 {
			t.Fatalf("%d frames left, of the windows %+v", s.Frames, s.Loads)
		}
		if s.Loads[3].Frames == 0 {
			continue
		}
		if l := s.Loads[0]; l.Frames > 0 || l.Longest < 5*time.Millisecond || l.Longest > 6*time.Millisecond || l.Gap < 5*time.Millisecond || l.Gap > 6*time.Millisecond {
			t.Errorf("a window that was over: %+v", l)
		}
		if s.Loads[1].Frames >= o.Then[0].Frames || s.Loads[1].Longest < 10*time.Millisecond {
			t.Errorf("windows that were late: %+v", s.Loads)
		}
		return
	}
}

// A sender that is stopped knows it, whatever it sends at: the kernel's program, and the pacer
// of one in user space.
func TestPausesAreKnown(t *testing.T) {
	const stopped = 20 * time.Millisecond
	for _, rate := range []float64{0, 1000} {
		g := looseGenerator(t, GeneratorOptions{Paced: rate > 0})
		began := Now()
		o := Order{Start: began, Load: Load{Rate: rate, Duration: time.Hour}}
		turn(t, g, o, 1000)
		time.Sleep(stopped)
		further(t, g, o, 1000)
		time.Sleep(stopped)
		s := further(t, g, o, 1000)
		if all := Now() - began; s.Paused() < 2*stopped || s.Paused() > all || s.Loads[0].Gap < stopped || rate == 0 && s.Longest < stopped {
			t.Errorf("rate %g: paused for %v of %v, %+v", rate, s.Paused(), all, s)
		}
	}
}

// The timeline has every frame in the step of its time stamp.
func TestGeneratorKeepsATimeline(t *testing.T) {
	for _, paced := range []bool{false, true} {
		grid := NewGrid(time.Microsecond, time.Millisecond)
		g := looseGenerator(t, GeneratorOptions{Paced: paced, Steps: grid.Steps})
		o := Order{Start: Now(), Load: Load{Duration: time.Hour, Frames: 1000}, Grid: grid}
		if paced {
			o.Rate = 100e6
		}
		for range 2 { // the second run begins anew
			o.Start = Now()
			o.Grid.Start = o.Start - time.Millisecond
			s := turn(t, g, o, 100e3)
			if s.Frames != 1000 || len(s.Steps) != grid.Steps {
				t.Fatalf("%d frames in %d steps", s.Frames, len(s.Steps))
			}
			sum := uint32(0)
			for i, n := range s.Steps {
				if sum += n; n > 0 && (i < o.Grid.Step(s.First) || i > o.Grid.Step(Now())) {
					t.Errorf("%d frames in step %d, before the first one", n, i)
				}
			}
			if sum != 1000 {
				t.Errorf("%d frames in the timeline, want 1000", sum)
			}
		}
	}
}
