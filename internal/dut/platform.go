package dut

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"weir"
)

// Policer limits what the DUT forwards to a known rate, as a truth to test a
// search against.
type Policer struct {
	Kind string  // "nft" (a limit rule) or "tbf" (a queueing discipline)
	Rate float64 // frames/s in each direction
	Size float64 // mean frame size with FCS, which tbf needs
}

// Setup is what a platform is told about its two ports.
type Setup struct {
	Address  [2][]netip.Prefix // of the DUT's ports
	Neighbor [2][]netip.Addr   // the tester's addresses behind them
	Route    [2][]netip.Prefix // networks that lie behind the tester's ports
	Policer  *Policer
}

// Platform tells one operating system to forward.
type Platform interface {
	// Forward sets the DUT up as a router between its two ports, and returns
	// what undoes it.
	Forward(context.Context, weir.DUT, Setup) (undo func(context.Context) error, err error)
	// Drops reads the counters of dropped frames, by place, of a DUT that was
	// set up so.
	Drops(context.Context, weir.DUT, Setup) ([]weir.Drop, error)
	// Settings are what a reader must know of the DUT.
	Settings(context.Context, weir.DUT) ([]weir.Setting, error)
}

// platforms are the operating systems that weir can tell to forward.
var platforms = map[string]Platform{
	"linux": linux{},
}

// ByName is the platform of that name.
func ByName(name string) (Platform, error) {
	p, ok := platforms[name]
	if !ok {
		var names []string
		for n := range platforms {
			names = append(names, n)
		}
		return nil, fmt.Errorf("no platform %q; there is: %s", name, strings.Join(names, ", "))
	}
	return p, nil
}
