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
	lab, traffic := openTestLab(t, "")
	polls := agent.CanPoll() == nil
	for _, way := range []weir.NAPI{weir.Softirq, weir.Threaded, weir.BusyPoll, ""} {
		undo, err := lab.Apply(t.Context(), weir.Condition{NAPI: way})
		if unsupported := (*weir.UnsupportedError)(nil); way == weir.BusyPoll && !polls && errors.As(err, &unsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", way, err)
		}
		if way == weir.Softirq || way == weir.BusyPoll { // what polls has to learn of new NAPI instances
			r := measured(t, lab, traffic, func(trial *weir.Trial) { trial.Event = &weir.Event{Name: "reset interface"} })
			if r.Happened == nil || r.Happened.Error != "" {
				t.Errorf("%q: the reset happened as %+v", way, r.Happened)
			}
		}
		// On a busy machine a thread of ordinary priority has to wait, too long
		// for some frames, or in one trial for most.
		var r weir.TrialResult
		for tries := 0; tries < 5 && r.Ledger.Unexplained == 0 && (tries == 0 || r.Received < r.Offered/2); tries++ {
			done, err := lab.Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			before := softirqs(t, lab.CPUs.DUT[0])
			r = measured(t, lab, traffic, func(trial *weir.Trial) { trial.Intended, trial.Duration = 20000, 500*time.Millisecond })
			if n := softirqs(t, lab.CPUs.DUT[0]) - before; polls && way == weir.Softirq && n < 1000 {
				t.Errorf("%q: the DUT's CPU took frames %d times in half a second; want once in 50 µs", way, n)
			}
			if seen, err := done(r.Sending); err != nil || seen.DUTCPU <= 0 || seen.DUTCPU > r.Sending*time.Duration(len(lab.CPUs.DUT))*5/4 {
				t.Errorf("%q: the DUT took %v of CPU time in %v, %v", way, seen.DUTCPU, r.Sending, err)
			}
		}
		if r.Received < r.Offered/2 || r.Ledger.Unexplained != 0 {
			t.Errorf("%q: offered %d, received %d, %+v", way, r.Offered, r.Received, r.Ledger)
		}
		r = measured(t, lab, traffic, func(trial *weir.Trial) { trial.Maximum, trial.Duration = true, 100*time.Millisecond })
		if r.Received == 0 || r.Ledger.Unexplained != 0 {
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
