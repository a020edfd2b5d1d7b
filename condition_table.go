package weir

import (
	"cmp"
	"fmt"
)

// kinds is the table of the kinds of settings, in the order of conditions. A new one is a type, its
// entry, and a line here.
var kinds = []kind{filtersKind, managementKind, updatesKind, routesKind, napiKind, pathKind, firewallKind, accessKind, tuningKind}

// Filters is a number of rules that every frame is held against (RFC 2544 section 11.4: 1, then 25).
type Filters int

func (Filters) kind() kind { return filtersKind }

var filtersKind = &kindOf[Filters]{
	key: "filters",
	words: func(n Filters) string {
		if n == 1 {
			return "1 filter"
		}
		return fmt.Sprintf("%d filters", n)
	},
	levels: func(n Filters) Factors { return Factors{"filters": int(n)} },
	where:  func(Filters) (layer, string) { return behindDriver, "the filters see it" },
}

// Management says that an SNMP agent answers one query at the beginning of each second (RFC 2544
// section 11.2).
type Management bool

func (Management) kind() kind { return managementKind }

var managementKind = &kindOf[Management]{
	key:    "management",
	words:  func(Management) string { return "management queries" },
	levels: func(Management) Factors { return Factors{"management": true} },
	alone:  func(Management) string { return noControlPlane },
}

// Updates says that a routing update is the first frame of each trial (RFC 2544 section 11.3).
type Updates bool

func (Updates) kind() kind { return updatesKind }

var updatesKind = &kindOf[Updates]{
	key:    "updates",
	words:  func(Updates) string { return "routing updates" },
	levels: func(Updates) Factors { return Factors{"updates": true} },
	alone:  func(Updates) string { return noControlPlane },
}

// noControlPlane is what DUTs side by side lack.
const noControlPlane = "they have no control plane that is asked or told anything"

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

func (RouteSet) kind() kind { return routesKind }

var routesKind = &kindOf[RouteSet]{
	key: "routes",
	words: func(s RouteSet) string {
		text := fmt.Sprintf("%d %s routes", s.Count, s.Family)
		if s.Via != "" {
			text += " by " + s.Via
		}
		return text
	},
	levels: func(s RouteSet) Factors {
		f := Factors{"routes": s.Count}
		if s.Via != "" {
			f["routes_via"] = s.Via
		}
		return f
	},
	alone: func(s RouteSet) string {
		if s.Via == ViaBGP {
			return noControlPlane
		}
		return ""
	},
	nothing: func(s RouteSet) bool { return s.Count == 0 },
}

// NAPI is a way in which a Linux DUT takes frames from its ports.
type NAPI string

// The ways.
const (
	Softirq  NAPI = "softirq"   // in interrupt context, before anything else, with ksoftirqd as relief
	Threaded NAPI = "threaded"  // in kernel threads of ordinary priority
	BusyPoll NAPI = "busy-poll" // in a process of ordinary priority that never sleeps
)

func (NAPI) kind() kind { return napiKind }

var napiKind = &kindOf[NAPI]{
	key:    "napi",
	words:  func(n NAPI) string { return "NAPI " + string(n) },
	levels: func(n NAPI) Factors { return Factors{"napi": string(n)} },
	alone: func(NAPI) string {
		return "how frames are taken from the ports is a matter of the CPUs that they share"
	},
}

// Path is a way of a frame through the DUT.
type Path string

// The ways.
const (
	PathStack Path = "kernel" // the operating system's own forwarding
	PathXDP   Path = "xdp"    // a program at the driver that looks the route up in the kernel's table; nothing behind it sees the frame
)

func (Path) kind() kind { return pathKind }

var pathKind = &kindOf[Path]{
	key:    "path",
	words:  func(p Path) string { return "forwarding by " + string(p) },
	levels: func(p Path) Factors { return Factors{"forwarding": string(p)} },
	where: func(p Path) (layer, string) {
		if p == PathXDP {
			return inDriver, "forwarding by xdp"
		}
		return elsewhere, ""
	},
	conflicts: func(p Path, c Condition) (out Problems) {
		switch by := c.Access().PPPoE; {
		case p != PathXDP || by == "":
		case by == XDP:
			out = Wrong("access by pppoe xdp has its own way of forwarding, in the drivers of all ports").Advise("leave forwarding out")
		default:
			out = Wrong("forwarding by xdp takes IP on Ethernet alone, and frames of PPPoE sessions would go the kernel's way").Advise("leave one of the two out")
		}
		return out
	},
}

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

func (Firewall) kind() kind { return firewallKind }

var firewallKind = &kindOf[Firewall]{
	key:    "firewall",
	words:  func(f Firewall) string { return "firewall " + f.String() },
	levels: func(f Firewall) Factors { return Factors{"firewall": f.String()} },
	where:  func(f Firewall) (layer, string) { return behindDriver, "the firewall sees it" },
	conflicts: func(f Firewall, _ Condition) Problems {
		return When(f.Kind == "", "a firewall of no kind has rules").Advise("give it one of %s, %s and %s", Stateless, Stateful, NAT)
	},
	cannot: func(f Firewall, t Traffic) (out Problems) {
		switch {
		case f.Kind != NAT:
		case t.Bidirectional:
			out = Wrong("nat hides the addresses that the frames of the other direction are sent to, and denies these").Advise("send in direction forward")
		case t.Backward:
			out = Wrong("nat denies frames from the outside that begin a connection").Advise("send in direction forward")
		}
		return out
	},
}

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

func (Access) kind() kind { return accessKind }

var accessKind = &kindOf[Access]{
	key:   "access",
	words: func(a Access) string { return "access by " + a.String() },
	levels: func(a Access) Factors {
		f := make(Factors)
		if a.PPPoE != "" {
			f["access"] = "pppoe " + string(a.PPPoE)
		}
		if a.Concentrator != "" {
			f["concentrator"] = a.Concentrator
		}
		return f
	},
	where: func(a Access) (layer, string) {
		if a.PPPoE == XDP {
			return inDriver, "access by pppoe xdp"
		}
		return elsewhere, ""
	},
	alone: func(a Access) string {
		if a.PPPoE != "" {
			return "each would need PPPoE sessions of its own"
		}
		return ""
	},
}
