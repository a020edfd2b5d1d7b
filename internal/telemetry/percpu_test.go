package telemetry

import (
	"testing"
	"time"
)

func TestParseCPUs(t *testing.T) {
	const stat = "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 1 2 3 400 50 6 7 8 0 0\ncpu1 1 2 3 30 4 6 20 8 0 0\ncpu10 1 1 1 1 1 1 1 1\nintr 1 2 3\n"
	for _, c := range []struct {
		cpus []int
		want CPUTime
	}{
		{[]int{0}, CPUTime{Idle: 4500 * time.Millisecond, Tasks: 60 * time.Millisecond, Steal: 80 * time.Millisecond, Interrupts: 130 * time.Millisecond}},
		{[]int{1, 0}, CPUTime{Idle: 4840 * time.Millisecond, Tasks: 120 * time.Millisecond, Steal: 160 * time.Millisecond, Interrupts: 390 * time.Millisecond}},
		{nil, CPUTime{}},
	} {
		got, err := parseCPUs(stat, c.cpus)
		if err != nil || got != c.want {
			t.Errorf("CPUs %v: %v, %v, want %v", c.cpus, got, err, c.want)
		}
	}
	for _, cpus := range [][]int{{2}, {100}} {
		if _, err := parseCPUs(stat, cpus); err == nil {
			t.Errorf("CPUs %v are there", cpus)
		}
	}
	if _, err := parseCPUs("cpu0 a b c d e f g h\n", []int{0}); err == nil {
		t.Error("nonsense was read")
	}
}
