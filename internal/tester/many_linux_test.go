package tester

import (
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// manyWindows is a trial of as many windows as there may be, each primed, of 0.1
// ms and one to three frames for each of its ports. Neighbours differ in their
// frames, so that one that is counted beside its window is seen.
func manyWindows() weir.Trial {
	trial := weir.Trial{
		Traffic: traffic(func(t *weir.Traffic) { t.Bidirectional = true }),
		Waits:   weir.Waits{Residual: 300 * ms, Learning: ms},
	}
	for i := range weir.MaxWindows {
		trial.Windows = append(trial.Windows, weir.Window{
			Intended: float64(1+i%3) * 1e4, Duration: 100 * us, Silence: 40 * us, Side: i / 3 % 3,
			Prime: &weir.Phase{Intended: float64(1+i%2) * 2e4, Duration: 50 * us}, Pause: 10 * us,
		})
	}
	return trial
}

// leastGap is for how long a generator that did not send some frames of a load
// stood still at least. Each frame that went before may have been late by
// another such time, for what is late keeps its distance from the one before it.
func leastGap(asked, missing uint64, load, silence time.Duration) time.Duration {
	apart := load / time.Duration(asked)
	return (time.Duration(missing)*apart + silence) / time.Duration(asked-missing+1)
}

// In a trial of as many windows as there may be each one sends what it was asked,
// or says that the generator stood still; what each sent and received is its
// own, and adds up to the whole.
func TestAsManyWindowsAsThereMayBe(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPlace(t)
	trial := manyWindows()
	r := p.measure(t, trial)
	sane(t, r, "xdp")
	if len(r.Windows) != len(trial.Windows) {
		t.Fatalf("%d windows, want %d", len(r.Windows), len(trial.Windows))
	}
	var sent, received, short, lost uint64
	var begin, least time.Duration
	for i, got := range r.Windows {
		w := trial.Windows[i]
		ports := uint64(2)
		if w.Side > 0 {
			ports = 1
		}
		want, primed := uint64(1+i%3)*ports, uint64(1+i%2)*ports
		if begin += w.Prime.Duration + w.Pause; got.Begin != begin {
			t.Fatalf("window %d began at %v, want %v", i, got.Begin, begin)
		}
		begin += w.Duration + w.Silence
		if got.Sent > want || got.PrimeSent > primed {
			t.Fatalf("window %d sent %d and %d frames, want %d after %d: %+v", i, got.Sent, got.PrimeSent, want, primed, got)
		}
		if missing := want - got.Sent; missing > 0 && got.GeneratorGap < leastGap(want, missing, w.Duration, w.Silence)-us {
			t.Errorf("window %d sent %d frames, want %d: the generator stood still for %v alone", i, got.Sent, want, got.GeneratorGap)
		}
		if missing := primed - got.PrimeSent; missing > 0 { // of which the longest delay of all tells
			least = max(least, leastGap(primed, missing, w.Prime.Duration, w.Pause)-us)
		}
		if got.Received > got.Sent || got.PrimeReceived > got.PrimeSent {
			t.Fatalf("window %d has frames of another: %+v", i, got)
		}
		if gone := got.Lost(); (gone > 0) != (got.LostRun > 0) || got.LostRun > gone {
			t.Errorf("window %d lost %d frames, %d one after the other", i, gone, got.LostRun)
		}
		sent, received = sent+got.Sent+got.PrimeSent, received+got.Received+got.PrimeReceived
		short += want + primed - got.Sent - got.PrimeSent
		lost += got.Lost() + got.PrimeSent - got.PrimeReceived
	}
	if sent != r.Offered || received != r.Received || sent+short != trial.Frames() || lost != r.Offered-r.Received {
		t.Errorf("the windows sent %d and received %d frames, lost %d and did not send %d; the trial sent %d of %d and received %d",
			sent, received, lost, short, r.Offered, trial.Frames(), r.Received)
	}
	if r.Pacing.LongestStall < least {
		t.Errorf("frames were late by %v at most, those that did not leave before a window by %v", r.Pacing.LongestStall, least)
	}
	t.Logf("%d frames in %v; %d were not sent in time, %d were lost, one was late by %v", r.Offered, r.Sending, short, lost, r.Pacing.LongestStall)
}
