package figures

import (
	"testing"

	"weir"
	"weir/internal/result"
)

// Levels are called what a plan calls them, and two that differ are two rows.
func TestLevelsAsInPlans(t *testing.T) {
	for _, c := range []struct {
		factors weir.Factors
		want    string
	}{
		{weir.Factors{}, "64"},
		{weir.Factors{"broadcast": 0.01}, "64 broadcast 1%"},
		{weir.Factors{"routes": 500_000}, "64 routes 500k"},
		{weir.Factors{"routes": 1e6, "routes_via": "bgp"}, "64 routes 1M by bgp"},
		{weir.Factors{"routes": 12_345}, "64 routes 12345"},
		{weir.Factors{"management": true}, "64 management"},
		{weir.Factors{"filters": 25, "burst": 64.0}, "64 burst 64 + filters 25"},
		{weir.Factors{"extensions": "hop-by-hop", "extended": .1}, "64 extensions hop-by-hop in 10%"},
	} {
		c.factors["frame_size"] = 64
		if got := Labelled(c.factors, nil); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, c := range []struct {
		factors    weir.Factors
		last       string
		over, each string
	}{
		{weir.Factors{"frame_size": 64}, "", "", "64"},
		{weir.Factors{"frame_size": 64, "mtu": 9000}, "", "", "64 MTU 9000"},
		{weir.Factors{"frame_size": 64, "flows": 256, "firewall": "none", "mtu": 9000}, "", "64 firewall none + flows 256", "MTU 9000"},
		{weir.Factors{"frame_size": 64, "mtu": 9000}, "before", "64 MTU 9000", "before"},
		{weir.Factors{"frame_size": result.Streams, "direction": "reverse", "firewall": "none"}, "", "far -> near", "firewall none"},
		{weir.Factors{"firewall": "none"}, "", "", "firewall none"},
		{weir.Factors{}, "", "", ""},
	} {
		if over, each := Split(c.factors, nil, c.last); over != c.over || each != c.each {
			t.Errorf("%q over %q, want %q over %q", over, each, c.over, c.each)
		}
	}
	g := GridOf(weir.Campaign{Results: []weir.Result{
		{Method: "throughput", Factors: weir.Factors{"frame_size": 64, "blend": .1}},
		{Method: "throughput", Factors: weir.Factors{"frame_size": 64, "blend": .1000001}},
	}})
	if len(g.Rows) != 2 {
		t.Errorf("%d rows of two levels", len(g.Rows))
	}
}
