package lab

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/agent"
)

// The DUT forwards in whichever way it takes frames from its ports, after a
// reset of them too: what it can, and some of what is too much for it.
func TestNAPI(t *testing.T) {
	l := openPathLab(t, 1)
	traffic, polls := l.plan.Traffic[0], agent.CanPoll() == nil
	observe := observer(l.bed, false)
	for _, way := range []weir.NAPI{weir.Softirq, weir.Threaded, weir.BusyPoll, ""} {
		undo, err := l.setNAPI(t.Context(), weir.ConditionOf(way))
		if unsupported := (*weir.UnsupportedError)(nil); way == weir.BusyPoll && !polls && errors.As(err, &unsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", way, err)
		}
		if way == weir.Softirq || way == weir.BusyPoll { // what polls has to learn of new NAPI instances
			r := l.trial(t, traffic, func(trial *weir.Trial) { trial.Event = &weir.Event{Name: "reset interface"} })
			if r.Happened == nil || r.Happened.Error != "" {
				t.Errorf("%q: the reset happened as %+v", way, r.Happened)
			}
		}
		done, err := observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := softirqs(t, l.bed.CPUs().DUT[0])
		r := l.trial(t, traffic, nil)
		if n := softirqs(t, l.bed.CPUs().DUT[0]) - before; polls && way == weir.Softirq && n == 0 {
			t.Errorf("%q: the DUT's CPU took no frames", way)
		}
		seen, err := done(r.Sending)
		if own := way == "" || way == weir.Threaded; err != nil || own && seen.DUTCPU == 0 || seen.DUTCPU > seen.Host.Over*time.Duration(len(l.bed.CPUs().DUT)) {
			t.Errorf("%q: the DUT took %v of CPU time in %v, %v", way, seen.DUTCPU, seen.Host.Over, err)
		}
		if r.Received != few {
			t.Errorf("%q: offered %d, received %d, %+v", way, r.Offered, r.Received, r.Ledger)
		}
		r = l.trial(t, traffic, overloaded)
		if r.Received == 0 || r.Ledger.Unexplained > 0 || r.Ledger.Unexplained < -stray {
			t.Errorf("%q, overloaded: offered %d, received %d, %+v", way, r.Offered, r.Received, r.Ledger)
		}
		if err := undo(t.Context()); err != nil {
			t.Errorf("%q: %v", way, err)
		}
	}
}

// softirqs is how often a CPU has received frames in softirq.
func softirqs(t *testing.T, cpu int) int {
	t.Helper()
	text, err := os.ReadFile("/proc/softirqs")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] == "NET_RX:" {
			n, err := strconv.Atoi(f[1+cpu])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("/proc/softirqs has no NET_RX")
	return 0
}
