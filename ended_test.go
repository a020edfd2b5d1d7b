package weir

import (
	"errors"
	"fmt"
	"testing"
)

// What was written of several errors is taken apart again.
func TestFailedWith(t *testing.T) {
	none := errors.New("it is a share of the throughput, and there is none")
	err := errors.Join(fmt.Errorf("latency %s64: %w", WithFrames, none), fmt.Errorf("latency %s512: %w", WithFrames, none),
		errors.New("these are missing:\n  - one\n  - the other"))
	c := Campaign{Ended: FailedWith(err)}
	var got []string
	for _, r := range c.Reasons() {
		got = append(got, r.Text)
	}
	want := []string{"latency with frames of 64, latency with frames of 512: " + none.Error(), "these are missing: one", "the other"}
	if fmt.Sprint(got) != fmt.Sprint(want) || c.HowEnded() != "failed" {
		t.Errorf("it %s, as %q, want %q", c.HowEnded(), got, want)
	}
}
