package telemetry

import (
	"testing"
	"time"
)

func TestParseCPU(t *testing.T) {
	got, err := parseCPU("cpu  100 10 20 5000 7 1 2 30 9 9\ncpu0 1 2 3 4 5 6 7 8 0 0\n")
	if err != nil {
		t.Fatal(err)
	}
	want := CPU{Busy: 1330 * time.Millisecond, Steal: 300 * time.Millisecond}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, bad := range []string{"", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3", "cpu  a 1 1 1 1 1 1 1 1"} {
		if _, err := parseCPU(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
