package telemetry

import (
	"runtime"
	"testing"
	"time"
)

// A cache line crosses from one CPU to another in some time, and to a CPU that is none never.
func TestCrossing(t *testing.T) {
	if runtime.NumCPU() > 1 {
		for d := time.Millisecond; ; d *= 2 { // a busy machine gives the two no time together for a while
			took, err := Crossing(0, 1, d)
			if err == nil {
				if took <= 0 || took > d {
					t.Errorf("a cache line took %v", took)
				}
				break
			}
			if d > 5*time.Minute {
				t.Fatal(err)
			}
		}
	}
	if took, err := Crossing(0, 4095, time.Millisecond); err == nil {
		t.Errorf("a cache line took %v to a CPU that there is not", took)
	}
}
