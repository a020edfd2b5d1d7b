package main

import "testing"

// Results are told apart by their access as weir names it to programs.
func TestByAccess(t *testing.T) {
	of := func(level string, value float64) result {
		return result{Factors: map[string]any{"access": level}, Value: value}
	}
	by := byAccess([]result{of("pppoe userland", 3), of("ip", 9), of("pppoe xdp", 5), of("pppoe userland", 2), of("pppoe userland", 0)})
	if got := spread(by["userland"], 1); got != "2.5 (2 to 3; 2 runs)" {
		t.Errorf("userland: %s", got)
	}
	if len(by["xdp"]) != 1 || len(by["ip"]) != 1 || spread(by["kernel"], 1) != "-" {
		t.Errorf("%v", by)
	}
}
