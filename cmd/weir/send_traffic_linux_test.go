package main

import (
	"net/netip"
	"slices"
	"testing"

	"weir/frame"
)

// A set of addresses is sent from the first to the last, each as often as the
// others.
func TestSetsOfAddresses(t *testing.T) {
	for _, c := range []struct {
		src, dst             string
		size, flows          int
		sources, sinks       int
		lastSource, lastSink string
	}{
		{"", "", 64, 1, 1, 1, "198.18.0.2", "198.19.0.2"},
		{"198.18.0.2+1", "", 64, 1, 1, 1, "198.18.0.2", "198.19.0.2"},
		{"198.18.0.2+1000", "", 64, 1000, 1000, 1, "198.18.3.233", "198.19.0.2"},
		{"198.18.0.2+3", "198.19.0.250+12", 64, 12, 3, 12, "198.18.0.4", "198.19.1.5"},
		{"", "2001:2:0:2::fffe+4", 90, 4, 1, 4, "2001:2:0:1::2", "2001:2:0:2::1:1"},
	} {
		s := sending{size: c.size, src: c.src, dst: c.dst, protocol: "udp", flows: 1, seed: 1}
		traffic, err := s.traffic()
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		flows, err := frame.Flows(traffic, traffic.Forward)
		if err != nil || len(flows) != c.flows {
			t.Errorf("%+v: %d flows, %v", c, len(flows), err)
			continue
		}
		var sources, sinks []netip.Addr
		for _, f := range flows {
			sources, sinks = append(sources, f.Source), append(sinks, f.Destination)
		}
		for _, side := range []struct {
			all  []netip.Addr
			n    int
			last string
		}{{sources, c.sources, c.lastSource}, {sinks, c.sinks, c.lastSink}} {
			slices.SortFunc(side.all, netip.Addr.Compare)
			if got := slices.Compact(side.all); len(got) != side.n || got[len(got)-1] != netip.MustParseAddr(side.last) {
				t.Errorf("%+v: %d addresses up to %v; want %d up to %s", c, len(got), got[len(got)-1], side.n, side.last)
			}
		}
	}
}
