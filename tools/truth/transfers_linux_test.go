package main

import (
	"fmt"
	"testing"
)

// A promise is kept where each figure is within its bounds, broken where one is not or is
// missing, and not measured where the result has no number.
func TestBounded(t *testing.T) {
	const of = `"value": %v, "unmeasured": "netperf is not available here", "figures": [{"name": "round trip without load", "value": %v}, {"name": "round trip under load", "value": %v}]`
	measured := func(value, idle, under float64) setup {
		return setup{say: func(string, ...any) {}, weir: script(t, `echo '{"results": [{`+fmt.Sprintf(of, value, idle, under)+`}]}'`)}
	}
	rate := func(least, most float64, figure string) promise {
		return bounded("", "", "", "x", []bound{{figure, least, most, "bit/s"}})
	}
	for _, c := range []struct {
		name        string
		p           promise
		s           setup
		kept, known bool
	}{
		{"within", rate(98, 102, ""), measured(99, 0, 0), true, true},
		{"below", rate(98, 102, ""), measured(97, 0, 0), false, true},
		{"above", rate(98, 102, ""), measured(103, 0, 0), false, true},
		{"of a figure", rate(98, 102, "round trip under load"), measured(9, 0, 100), true, true},
		{"of none", rate(98, 102, "none"), measured(99, 0, 0), false, true},
		{"no number", rate(0, 102, ""), measured(0, 0, 0), false, false},
		{"goodput", goodput(1500, 93.5, 94.95), measured(94.1e6, 0, 0), true, true},
		{"low goodput", goodput(1500, 93.5, 94.95), measured(93.4e6, 0, 0), false, true},
		{"no goodput", goodput(1500, 93.5, 94.95), measured(0, 0, 0), false, false},
		{"round trips", roundTrips(), measured(1, .001, .002), true, true},
		{"none longer", roundTrips(), measured(1, .001, .001), false, true},
		{"long", roundTrips(), measured(1, .01, .02), false, true},
		{"no round trips", roundTrips(), measured(1, 0, 0), false, false},
	} {
		if found, kept, err := c.p.measure(t.Context(), c.s); kept != c.kept || (err == nil) != c.known {
			t.Errorf("%s: %q, kept %v, %v", c.name, found, kept, err)
		}
	}
}
