package claim

import (
	"strings"
	"testing"
	"time"

	"weir"
)

// The rate of a switch has the name of RFC 2889 when all that it asks is kept, and that
// of RFC 2285 otherwise, as that of a router always has.
func TestThroughSwitch(t *testing.T) {
	for _, c := range []struct {
		name     string
		layer    int
		duration time.Duration
		learning time.Duration
		lossy    bool // also at the lowest load
		want     string
		missed   string
	}{
		{"by the book", 2, switchTrial, LearningWait, false, "RFC 2889 maximum forwarding rate", ""},
		{"a router", 0, switchTrial, LearningWait, false, "maximum forwarding rate", ""},
		{"short", 2, time.Second, LearningWait, false, "maximum forwarding rate", "30 s"},
		{"addresses not learned", 2, switchTrial, 0, false, "maximum forwarding rate", "learns the addresses"},
		{"never whole", 2, switchTrial, LearningWait, true, "maximum forwarding rate", "between the throughput"},
	} {
		e := book("mfr")
		e.each(func(r *weir.TrialResult) {
			times := uint64(c.duration / r.Trial.Duration)
			r.Offered, r.Received = r.Offered*times, r.Received*times
			r.Trial.Duration, r.Sending, r.Trial.Traffic.Layer, r.Trial.Waits.Learning = c.duration, c.duration, c.layer, c.learning
			if c.lossy && r.Received == r.Offered {
				r.Offered++
			}
		})
		got := checked(e.Result, e.trials)
		if missed := strings.Join(got.Missed, "; "); got.Name != c.want || !strings.Contains(missed, c.missed) || (missed == "") != (c.missed == "") {
			t.Errorf("%s: %q, misses %q; want %q", c.name, got.Name, missed, c.want)
		}
	}
}
