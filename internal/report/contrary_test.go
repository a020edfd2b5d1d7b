package report

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/figures"
	"weir/internal/testenv/samples"
)

// A row in which more passes without loss than at the maximum load says so, as one
// does in which more passes without loss than with some.
func TestThroughputAboveFRMOL(t *testing.T) {
	result := func(method string, octets int, value float64, name string) weir.Result {
		return weir.Result{Method: method, Claim: weir.Claim{Name: name}, Factors: weir.Factors{"frame_size": octets}, Unit: "frames/s", Value: value, Width: .01}
	}
	c := weir.Campaign{ID: "x", Ended: "complete", Results: []weir.Result{
		result("throughput", 64, 8e5, "throughput"), result("frmol", 64, 6e5, "FRMOL"),
		result("throughput", 512, 6.05e5, "throughput"), result("frmol", 512, 6e5, "FRMOL"), // within the width
		result("throughput", 1518, 8e5, "throughput"), result("frmol", 1518, 6e5, "FRMOL, at least"),
	}}
	var cells []string
	for _, row := range figures.ResultsTable(figures.GridOf(c)).Rows {
		cells = append(cells, row[3].String())
	}
	if got, want := strings.Join(cells, "|"), "600.0 !|600.0|600.0"; got != want {
		t.Errorf("the cells of FRMOL are %q, want %q", got, want)
	}
	const note = "! 64: the throughput is above FRMOL: an overload costs that much"
	for _, beside := range []bool{false, true} {
		if beside { // of a sweep it is one screen
			c.Results = append(c.Results, samples.OneSweep(func(*weir.Result) {}).Results...)
		}
		if text := strings.Join(strings.Fields(render(t, "text", c)), " "); !strings.Contains(text, note) {
			t.Errorf("with a sweep %v: the note is not there:\n%s", beside, text)
		}
	}
}
