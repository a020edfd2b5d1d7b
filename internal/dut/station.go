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

// Station is a system of end hosts that has no ip(8).
type Station interface {
	Platform
	Describer
	// Attach gives a port its addresses, and routes through it.
	Attach(ctx context.Context, h weir.Host, port Interface, addresses []netip.Prefix, routes []Route, undo *settings.Undo) error
}

// Route is one that an end host needs.
type Route struct {
	To  netip.Prefix
	Via netip.Addr
}

// macOS is no platform of a DUT: weir does not tell it to forward.
var macOS = bsd{name: "macOS", quick: []string{"net.inet6.ip6.dad_count"}}

// stations are the systems by what uname(1) calls them, in small letters.
var stations = map[string]bsd{"darwin": macOS, "freebsd": freebsd, "netbsd": netbsd, "openbsd": openbsd}

// StationByName is the system of that name.
func StationByName(name string) (Station, error) {
	s, ok := stations[name]
	if !ok {
		return nil, fmt.Errorf("there is no system %q for end hosts; there is: linux, %s", name, strings.Join(slices.Sorted(maps.Keys(stations)), ", "))
	}
	return s, nil
}

// Attach uses an address, and a route to what is on the link, that the user has given.
func (p bsd) Attach(ctx context.Context, h weir.Host, port Interface, addresses []netip.Prefix, routes []Route, undo *settings.Undo) error {
	if err := p.quickly(ctx, h, undo); err != nil {
		return err
	}
	there, err := p.ports(ctx, h)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(there, func(o bsdPort) bool { return o.Name == port.Name })
	if at < 0 {
		return fmt.Errorf("%s has no interface %s any more", h.Name(), port.Name)
	}
	steps := p.addressed(there[at], addresses)
	for _, r := range routes {
		steps = append(steps, r.added())
	}
	return do(ctx, h, port.Name, steps, undo)
}

// added adds a route.
func (r Route) added() step {
	to := []string{"-" + inet(r.Via), "-net", r.To.String(), r.Via.String()}
	return step{append([]string{"route", "-n", "add"}, to...), append([]string{"route", "-n", "delete"}, to...)}
}
