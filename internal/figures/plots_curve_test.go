package figures

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

// An overload comes from windows, too, and is no sweep: no table of sweeps has it,
// nor does one lose a column to it.
func TestOverloadIsNoSweep(t *testing.T) {
	c := samples.Overload()
	if knees := GridOf(c).Knees; len(knees) > 0 {
		t.Errorf("knees at the losses %v were looked for", knees)
	}
	beside := samples.OneSweep(func(*weir.Result) {})
	beside.Results = append(beside.Results, samples.OverloadOf("softirq", 8e5))
	if head := strings.Join(SweptTable(GridOf(beside)).Heads(), " "); strings.Contains(head, "loss 0 %") {
		t.Errorf("the table of sweeps has the columns %s", head)
	}
	for _, p := range Procedures(c, GridOf(c)) {
		if got, want := p.String(), "2,160 windows of 0.005 s in 3 rounds for 3 results"; got != want {
			t.Errorf("it was measured in %s, want %s", got, want)
		}
	}
}
