package testbed

import (
	"fmt"
	"slices"

	"weir"
)

// PlaceCPUs says which of n CPUs do what where the plan leaves it open: the
// last half is the DUT's (one at least), the generator has the first and the
// receiver the second, or the same one where there are fewer than four. What
// the plan fixes is checked and kept.
func PlaceCPUs(n int, want weir.CPUs) (weir.CPUs, error) {
	for _, set := range [][]int{want.Generator, want.Receiver, want.DUT} {
		for _, c := range set {
			if c < 0 || c >= n {
				return weir.CPUs{}, fmt.Errorf("there is no CPU %d: this machine has CPUs 0 to %d", c, n-1)
			}
		}
	}
	got := want
	if len(got.DUT) == 0 {
		got.DUT = []int{}
		for c := n / 2; c < n; c++ {
			if !slices.Contains(got.Generator, c) && !slices.Contains(got.Receiver, c) {
				got.DUT = append(got.DUT, c)
			}
		}
		if len(got.DUT) == 0 {
			got.DUT = []int{n - 1}
		}
	}
	free := []int{}
	for c := range n {
		if !slices.Contains(got.DUT, c) {
			free = append(free, c)
		}
	}
	if len(free) == 0 {
		free = []int{0}
	}
	if len(got.Generator) == 0 {
		got.Generator = free[:1]
	}
	if len(got.Receiver) == 0 {
		got.Receiver = got.Generator[:1]
		for _, c := range free {
			if !slices.Contains(got.Generator, c) {
				got.Receiver = []int{c}
				break
			}
		}
	}
	return got, nil
}
