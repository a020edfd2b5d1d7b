package tester

import (
	"testing"
	"time"
)

// What threads waited counts in the windows in which they did.
func TestWaitsOfWindows(t *testing.T) {
	const ms = time.Millisecond
	waits := threadWaits{{From: 5 * ms, Until: 12 * ms}, {From: 13 * ms, Until: 14 * ms}, {From: 30 * ms, Until: 50 * ms}}
	for begin, want := range map[time.Duration]time.Duration{0: 5 * ms, 10 * ms: 3 * ms, 20 * ms: 0, 40 * ms: 10 * ms} {
		if got := waits.during(begin, 10*ms); got != want {
			t.Errorf("the threads waited for %v in the window from %v on, want %v", got, begin, want)
		}
	}
	if got := (threadWaits{}).during(0, ms); got != 0 {
		t.Errorf("%v of threads that never waited", got)
	}
	if got := threadWaits(nil).during(0, ms); got >= 0 {
		t.Errorf("%v of threads of which nobody knows", got)
	}
}
