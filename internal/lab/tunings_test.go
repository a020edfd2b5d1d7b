package lab

import (
	"slices"
	"strings"
	"testing"

	"weir/internal/dut"
	"weir/internal/plan"
	"weir/internal/sim"
)

// A plan knows the names of all tunings that a DUT has, simulated or not, and of
// no others.
func TestPlansKnowAllTunings(t *testing.T) {
	var written []string
	for _, f := range plan.Factors() {
		written = append(written, f.Written)
	}
	known := func(name string) bool {
		return slices.ContainsFunc(written, func(w string) bool {
			return w == name || strings.HasPrefix(w, name+" ") || strings.HasPrefix(w, name+":")
		})
	}
	there := sim.Tunings()
	for _, tuning := range dut.Tunings() {
		there = append(there, strings.TrimSuffix(tuning.Name, " NAME"))
	}
	for _, name := range there {
		if !known(name) {
			t.Errorf("weir list factors does not have %q", name)
		}
	}
	for _, f := range plan.Factors() {
		bare := !strings.Contains(f.Written, ":") // those of a table
		if bare && !slices.Contains(there, f.Written) {
			t.Errorf("no DUT has %q", f.Written)
		}
	}
}
