package figures

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// Levels that differ name the rows, those that do not stand above the table.
func TestLevels(t *testing.T) {
	c := weir.Campaign{}
	for _, firewall := range []string{"none", "stateful"} {
		c.Results = append(c.Results, weir.Result{Method: "throughput", Unit: "frames/s", Value: 1e6,
			Factors: weir.Factors{"firewall": firewall, "frame_size": 64.0, "flows": 256.0}})
	}
	g := GridOf(c)
	var labels []string
	for _, w := range g.Rows {
		labels = append(labels, w.Label)
	}
	if diff := cmp.Diff([]string{"64 firewall none", "64 firewall stateful"}, labels); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(Changes(g.Common, nil), ", "); got != "flows 256" {
		t.Errorf("in common is %q", got)
	}
}
