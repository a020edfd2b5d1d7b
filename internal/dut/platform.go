package dut

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// Policer limits what the DUT forwards to a known rate, as a truth to test a
// search against.
type Policer struct {
	Kind string  // "nft" (a limit rule) or "tbf" (a queueing discipline)
	Rate float64 // frames/s in each direction
	Size float64 // mean frame size with FCS, which tbf needs
}

// MaxPorts is how many ports a platform can be told about.
const MaxPorts = 16

// Setup is what a platform is told about its ports.
type Setup struct {
	Address  [MaxPorts][]netip.Prefix // of the DUT's ports
	Neighbor [MaxPorts][]netip.Addr   // the tester's addresses behind them
	Route    [MaxPorts][]netip.Prefix // networks that lie behind the tester's ports
	Policer  *Policer

	CPUs    []int // where the DUT forwards, for what its CPUs count as dropped; nil: not known
	Filters int   // of the condition that it is in, for what these dropped

	Firewall weir.Firewall // of the condition that it is in, for what it dropped
	Queueing bool          // whether a tuning gave the ports a queueing discipline, for what that dropped

	// Behind are the hosts at the other ends of the ports' links, for what both
	// ends of a link need; nil: out of reach.
	Behind [MaxPorts]weir.Host
	// Shared says that the DUT is a place on a machine that has other work, too:
	// what belongs to the whole machine is not changed, since nobody would change
	// it back if weir were killed.
	Shared bool
	// InService says that the DUT is somebody's machine, which forwards for others, too:
	// what is not of the test is left alone. A lab's own needs no rule for that, which
	// every frame would be held against.
	InService bool
	// Journal remembers what is set at the DUT until it is undone; nil: the DUT ends
	// with this process.
	Journal *settings.Journal
	// Programs knows the programs of tunings that stay; nil: there can be none.
	Programs *Programs
	// KeepNAPI has a port that is an end of a virtual link keep its NAPI while GRO is off;
	// nil: it cannot be had.
	KeepNAPI func(port string) (undo func() error, err error)
	// Spread has that many of the DUT's CPUs forward; nil: it cannot be told.
	Spread func(cpus int) (undo func() error, err error)
}

// Under is the setup with the firewall and the tunings of a condition, for what these drop.
func (s Setup) Under(c weir.Condition) Setup {
	s.Firewall = c.Firewall()
	s.Queueing = slices.ContainsFunc(c.Tunings(), func(t weir.Tuning) bool { return t.Name == qdiscTuning })
	return s
}

// Platform tells one operating system to forward.
type Platform interface {
	// Forward sets the DUT up as a router between its ports, and returns
	// what undoes it.
	Forward(context.Context, weir.DUT, Setup) (undo func(context.Context) error, err error)
	// Drops reads the counters of dropped frames, by place, of a DUT that was
	// set up so.
	Drops(context.Context, weir.DUT, Setup) ([]weir.Drop, error)
	// Interfaces are those of a host, whatever they are for.
	Interfaces(context.Context, weir.Host) ([]Interface, error)
	// Toward is the interface through which a host sends to an address.
	Toward(context.Context, weir.Host, netip.Addr) (name string, err error)
	// Settings are what a reader must know of the DUT.
	Settings(context.Context, weir.DUT) ([]weir.Setting, error)
}

// Conditioner is a Platform that can set its DUT to conditions.
type Conditioner interface {
	// Filter makes the DUT hold each frame against a number of filter rules, of
	// which the last one permits it (RFC 2544 section 11.4), and returns what
	// undoes it. Frames to anywhere are permitted if they come from the test
	// networks, or those between these alone.
	Filter(ctx context.Context, d weir.DUT, s Setup, rules int, anywhere bool) (undo func(context.Context) error, err error)
}

// platforms are the operating systems that weir can tell to forward.
var platforms = map[string]Platform{
	"linux":   linux{},
	"freebsd": freebsd,
	"openbsd": openbsd,
	"netbsd":  netbsd,
}

// Names are those of all platforms.
func Names() []string { return slices.Sorted(maps.Keys(platforms)) }

// ByName is the platform of that name.
func ByName(name string) (Platform, error) {
	p, ok := platforms[name]
	if !ok {
		return nil, fmt.Errorf("no platform %q; there is: %s", name, strings.Join(Names(), ", "))
	}
	return p, nil
}
