package lab

import (
	"testing"
	"time"

	"weir/internal/testbed"
)

// A lab that is kept, that of a process that is gone, and one's own are no other weir.
func TestAnotherWeir(t *testing.T) {
	since := time.Date(2026, 11, 23, 9, 5, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		lab  testbed.Entry
		want string
	}{
		"its own": {testbed.Entry{PID: 7, Own: true, Running: true}, ""},
		"kept":    {testbed.Entry{PID: 8, Running: true, Kept: true}, ""},
		"gone":    {testbed.Entry{PID: 8}, ""},
		"another": {testbed.Entry{PID: 8, Running: true, Made: since}, "another weir measures here: process 8, since 09:05:00; wait until it has ended, or end it (kill 8)"},
		"named": {testbed.Entry{PID: 8, Running: true, Made: since, Campaign: "c1"},
			"another weir measures here: process 8, since 09:05:00, campaign c1; wait until it has ended, or end it (kill 8)"},
	} {
		got := ""
		if err := nobodyElse([]testbed.Entry{c.lab}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
