package netif

import "testing"

// However little of its stack a goroutine has left, a port has its offloads:
// on 2,000 depths of a new stack, some of which grow on the way to the kernel.
func TestFeaturesAtAnyDepth(t *testing.T) {
	want, err := Features("lo")
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Fatal("lo has no offloads")
	}
	for depth := range 2000 {
		got := make(chan int)
		go func() { got <- featuresAt(depth) }()
		if n := <-got; n != len(want) {
			t.Errorf("%d offloads of lo, %d calls deep, want %d", n, depth, len(want))
		}
	}
}

// featuresAt counts the offloads of lo below so many calls; -1 where reading
// them fails.
//
//go:noinline
func featuresAt(depth int) int {
	if depth > 0 {
		return featuresAt(depth - 1)
	}
	f, err := Features("lo")
	if err != nil {
		return -1
	}
	return len(f)
}
