package weir

import (
	"cmp"
	"fmt"
	"slices"
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
	Path       Path     `json:"path,omitempty"`       // the way of a frame through it; "": that of its operating system
	Firewall   Firewall `json:"firewall,omitzero"`    // that each frame passes; none in the zero value
	Access     Access   `json:"access,omitzero"`      // how the end host at its first port is connected; by IP in the zero value
	Tunings    []Tuning `json:"tunings,omitempty"`    // what else is set, in this order
}

// Path is a way of a frame through the DUT.
type Path string

// The ways.
const (
	PathStack Path = "kernel" // the operating system's own forwarding
	PathXDP   Path = "xdp"    // a program at the driver that looks the route up in the kernel's table; nothing behind it sees the frame
)

// Access is how an end host is connected: by IP on Ethernet, or by a session of PPPoE
// (RFC 2516) with the DUT, or with the other end host where there is none.
type Access struct {
	PPPoE        DataPath `json:"pppoe,omitempty"`        // who moves its octets; "": there is none
	Concentrator string   `json:"concentrator,omitempty"` // of two end hosts on one cable: Near or Far; "": the DUT, or else Far
}

// DataPath is who moves the octets of PPPoE sessions.
type DataPath string

// The data paths.
const (
	Userland  DataPath = "userland" // a program between a port and a tun device, at both ends
	XDP       DataPath = "xdp"      // programs at the drivers, at both ends; of frames that they forward nothing behind the drivers sees any
	KernelPPP DataPath = "kernel"   // the kernel's PPP behind /dev/ppp, for which pppd and rp-pppoe set sessions up
)

// The end hosts of a testbed: the one at the first port, and the one at the second.
const (
	Near = "near"
	Far  = "far"
)

// Firewall is what a DUT does with each frame before it forwards it.
type Firewall struct {
	Kind  FirewallKind `json:"kind,omitempty"`  // "": none
	Rules int          `json:"rules,omitempty"` // that a frame is held against in vain before the one that permits it
	With  string       `json:"with,omitempty"`  // the program that sets it, one of those below; "": the first that the DUT's system has
}

// FirewallKind is what a firewall remembers.
type FirewallKind string

// The kinds.
const (
	Stateless FirewallKind = "stateless" // nothing: each frame is judged by itself
	Stateful  FirewallKind = "stateful"  // connections: frames of known ones pass
	NAT       FirewallKind = "nat"       // connections, whose source addresses become the DUT's own
)

// Known reports whether it is one of them.
func (k FirewallKind) Known() bool { return k == Stateless || k == Stateful || k == NAT }

// The programs that set firewalls.
const (
	NFTables = "nftables" // of Linux, its first
	IPTables = "iptables" // of Linux
	PF       = "pf"       // of FreeBSD and OpenBSD, their first
	IPFW     = "ipfw"     // of FreeBSD
	NPF      = "npf"      // of NetBSD
)

// TuningInfo says what a tuning is.
type TuningInfo struct {
	Name    string // as a plan has it: "gro", "sysctl NAME"
	Values  Values // as which its values are read and recorded
	Takes   string // which these are, for people: "on, off"
	Summary string
}

// Values are what the values of a tuning are.
type Values int

// The kinds of values, and how they are recorded.
const (
	Words  Values = iota // as they are written
	Switch               // "on" or "off"
	Count                // a whole number
	Rates                // frames/s or prefixes/s, as a plain number
	Shares               // parts of 1
	Times                // whole nanoseconds
)

// Tuning is one thing that is set at a DUT beside all that has a field of its
// own. Which there are is for its platform to say.
type Tuning struct {
	Name  string `json:"name"`           // "gro", "rps", "sysctl net.core.netdev_budget", "command"
	Value string `json:"value"`          // "off", "600", or a command line; "": a person sets it by hand
	Undo  string `json:"undo,omitempty"` // the command line that undoes a command
	Arm   string `json:"arm,omitempty"`  // which level it is, for a command or a program that serves several; "": it has no name
}

// Equal reports whether two conditions are the same.
func (c Condition) Equal(o Condition) bool {
	return c.Filters == o.Filters && c.Management == o.Management && c.Updates == o.Updates && c.Routes == o.Routes &&
		c.NAPI == o.NAPI && c.Path == o.Path && c.Firewall == o.Firewall && c.Access == o.Access && slices.Equal(c.Tunings, o.Tunings)
}

// IsZero reports whether the DUT only forwards, as its operating system does.
func (c Condition) IsZero() bool { return c.Equal(Condition{}) }

// String names a firewall: "none", "stateless", "nat, 25 rules, iptables".
func (f Firewall) String() string {
	s := cmp.Or(string(f.Kind), "none")
	if f.Rules > 0 {
		s += fmt.Sprintf(", %d rules", f.Rules)
	}
	if f.With != "" && f.With != NFTables {
		s += ", " + f.With
	}
	return s
}

// String names an access: "ip", "pppoe userland, concentrator near".
func (a Access) String() string {
	s := "ip"
	if a.PPPoE != "" {
		s = "pppoe " + string(a.PPPoE)
	}
	if a.Concentrator != "" {
		s += ", concentrator " + a.Concentrator
	}
	return s
}

// String is "gro off"; a command is named by itself.
func (t Tuning) String() string {
	switch {
	case t.ByHand():
		return t.Arm + " (by hand)"
	case t.Name == commandTuning:
		return t.Value
	}
	return t.Name + " " + t.Value
}

// ByHand reports whether a person sets it: it has the name of a command's level, and
// no command.
func (t Tuning) ByHand() bool { return t.Name == commandTuning && t.Value == "" && t.Arm != "" }

// Commanded reports whether a command of the user's sets it.
func (t Tuning) Commanded() bool { return t.Name == commandTuning && !t.ByHand() }

// ByHand is the name of the level that a person sets the DUT to; "": nobody has to.
func (c Condition) ByHand() string {
	for _, t := range c.Tunings {
		if t.ByHand() {
			return t.Arm
		}
	}
	return ""
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
	if c.Path != "" {
		parts = append(parts, "forwarding by "+string(c.Path))
	}
	if c.Firewall.Kind != "" {
		parts = append(parts, "firewall "+c.Firewall.String())
	}
	if c.Access != (Access{}) {
		parts = append(parts, "access by "+c.Access.String())
	}
	for _, t := range c.Tunings {
		parts = append(parts, t.String())
	}
	return cmp.Or(strings.Join(parts, ", "), "plain")
}
