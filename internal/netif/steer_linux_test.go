package netif

import "testing"

func TestFreeQueue(t *testing.T) {
	for _, tt := range []struct {
		queues    int
		generator []int
		want      int
	}{
		{2, []int{0}, 1},
		{2, []int{1}, 0},
		{4, []int{3}, 2},
		{4, []int{2, 7}, 1}, // CPU 7 sends by queue 3
		{2, []int{0, 1}, -1},
		{1, []int{0}, -1},
		{0, []int{0}, -1},
	} {
		if got := freeQueue(tt.queues, tt.generator); got != tt.want {
			t.Errorf("of %d queues with a generator on CPUs %v: %d, want %d", tt.queues, tt.generator, got, tt.want)
		}
	}
}
