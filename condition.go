package weir

import (
	"cmp"
	"fmt"
	"strings"
)

// Condition is how the DUT is set while frames are sent, beside forwarding.
// The zero value is a DUT that only forwards.
type Condition struct {
	Filters    int      `json:"filters,omitempty"`    // rules that every frame is held against (RFC 2544 section 11.4: 1, then 25)
	Management bool     `json:"management,omitempty"` // an SNMP agent answers one query at the beginning of each second (section 11.2)
	Updates    bool     `json:"updates,omitempty"`    // a routing update is the first frame of each trial (section 11.3)
	Routes     RouteSet `json:"routes,omitzero"`      // installed, and the destinations of the traffic
	NAPI       NAPI     `json:"napi,omitempty"`       // how the DUT takes frames from its ports; "": as the testbed does
}

// NAPI is a way in which a Linux DUT takes frames from its ports.
type NAPI string

// The ways.
const (
	Softirq  NAPI = "softirq"   // in interrupt context, before anything else, with ksoftirqd as relief
	Threaded NAPI = "threaded"  // in kernel threads of ordinary priority
	BusyPoll NAPI = "busy-poll" // in a process of ordinary priority that never sleeps
)

// RouteSet is a made-up routing table: Count prefixes of a family, drawn with
// a seed. See package fib.
type RouteSet struct {
	Family Family `json:"family"`
	Count  int    `json:"count"` // 0: none
	Seed   uint64 `json:"seed"`
	Via    string `json:"via,omitempty"` // how they are learnt: one of those below; "": ViaNetlink
}

// How the DUT learns routes.
const (
	ViaNetlink = "netlink" // they are installed through the interface of its kernel
	ViaBGP     = "bgp"     // a BGP neighbour announces them
)

// String names the condition, for people: "25 filters, 10000 routes"; "plain"
// for the zero value.
func (c Condition) String() string {
	var parts []string
	if c.Filters == 1 {
		parts = append(parts, "1 filter")
	} else if c.Filters > 1 {
		parts = append(parts, fmt.Sprintf("%d filters", c.Filters))
	}
	if c.Management {
		parts = append(parts, "management queries")
	}
	if c.Updates {
		parts = append(parts, "routing updates")
	}
	if c.Routes.Count > 0 {
		parts = append(parts, fmt.Sprintf("%d %s routes", c.Routes.Count, c.Routes.Family))
		if c.Routes.Via != "" {
			parts[len(parts)-1] += " by " + c.Routes.Via
		}
	}
	if c.NAPI != "" {
		parts = append(parts, "NAPI "+string(c.NAPI))
	}
	return cmp.Or(strings.Join(parts, ", "), "plain")
}
