package weir

import (
	"errors"
	"fmt"
	"testing"
)

// An error is told by what it is made of: what failed alike in several places, and what programs
// said.
func TestReasonsOf(t *testing.T) {
	none := errors.New("it is a share of the throughput, and there is none")
	killed := func(line string) error {
		return fmt.Errorf("dut: %w; bring it back", &SaidError{Err: errors.New("snmpd: signal: killed"), Said: []string{"Connection", line}})
	}
	level := func(at string, err error) error {
		return &PlaceError{Place: "napi " + at, Err: &PlaceError{Place: "latency " + WithFrames + "64", Err: err}}
	}
	err := errors.Join(level("softirq", none), errors.Join(level("thread", none), &PlaceError{Place: "frmol", Err: killed("one")}), level("thread", killed("two")),
		errors.New("these are missing:\n  - one\n  - the other"))
	want := []Reason{
		{Text: "napi softirq: latency with frames of 64, napi thread: latency with frames of 64: " + none.Error()},
		{Text: "frmol, napi thread: latency with frames of 64: dut: snmpd: signal: killed; bring it back", Log: []string{"Connection", "one", "two"}},
		{Text: "these are missing: one"}, {Text: "the other"},
	}
	if got := ReasonsOf(err); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	c := Campaign{Ended: FailedWith(err), Manifest: Manifest{Failures: want}}
	if got := c.Reasons(); fmt.Sprint(got) != fmt.Sprint(want) || c.HowEnded() != "failed" {
		t.Errorf("it %s, for %q", c.HowEnded(), got)
	}
}

// What stores of before have of several errors is taken apart.
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
