package testbed

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestPlaceCPUs(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		in   weir.CPUs
		want weir.CPUs
	}{
		{"one for all", 1, weir.CPUs{}, weir.CPUs{Generator: []int{0}, Receiver: []int{0}, DUT: []int{0}}},
		{"two", 2, weir.CPUs{}, weir.CPUs{Generator: []int{0}, Receiver: []int{0}, DUT: []int{1}}},
		{"three", 3, weir.CPUs{}, weir.CPUs{Generator: []int{0}, Receiver: []int{0}, DUT: []int{1, 2}}},
		{"four", 4, weir.CPUs{}, weir.CPUs{Generator: []int{0}, Receiver: []int{1}, DUT: []int{2, 3}}},
		{"as the plan says", 4, weir.CPUs{Generator: []int{3}, Receiver: []int{2}, DUT: []int{0}},
			weir.CPUs{Generator: []int{3}, Receiver: []int{2}, DUT: []int{0}}},
		{"the DUT named", 2, weir.CPUs{DUT: []int{0}}, weir.CPUs{Generator: []int{1}, Receiver: []int{1}, DUT: []int{0}}},
		{"the generator named", 4, weir.CPUs{Generator: []int{2}}, weir.CPUs{Generator: []int{2}, Receiver: []int{0}, DUT: []int{3}}},
	} {
		got, err := PlaceCPUs(c.n, c.in)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if _, err := PlaceCPUs(2, weir.CPUs{DUT: []int{2}}); err == nil {
		t.Error("a CPU that is not there was accepted")
	}
}
