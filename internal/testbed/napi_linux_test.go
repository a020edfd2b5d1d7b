package testbed

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"weir"
	"weir/internal/netif"
)

// A DUT that forwards on some of its CPUs does so after a reset of its ports,
// which gives it new threads, and on all of them when that is undone.
func TestSpread(t *testing.T) {
	all := []int{0, 1}[:min(2, runtime.NumCPU())]
	lab := open(t, NetnsConfig{CPUs: weir.CPUs{DUT: all}})
	on := func(want ...int) {
		t.Helper()
		for _, tid := range lab.Forwarding() {
			if got, err := netif.Affinity(tid); err != nil || !slices.Equal(got, want) {
				t.Errorf("a thread may use the CPUs %v, %v; want %v", got, err, want)
			}
		}
	}
	on(all...)
	undo, err := lab.Spread(1)
	if err != nil {
		t.Fatal(err)
	}
	on(0)
	threads := lab.Forwarding()
	if err := lab.InDUT(lab.ResetPorts); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(threads, lab.Forwarding()) {
		t.Error("the reset left it the threads that it had")
	}
	on(0)
	if err := undo(); err != nil {
		t.Fatal(err)
	}
	on(all...)

	back, err := lab.SetNAPI(weir.Softirq)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lab.Spread(1); !errors.As(err, new(*weir.UnsupportedError)) {
		t.Errorf("without threads of its own: %v", err)
	}
	if err := back(t.Context()); err != nil {
		t.Fatal(err)
	}
	on(all...)
}
