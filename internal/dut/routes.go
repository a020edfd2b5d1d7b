package dut

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// RoutePart is what of a routing table leads to one neighbour.
type RoutePart struct {
	Port     string // of the DUT
	Via      netip.Addr
	Prefixes []netip.Prefix
}

// Router is a Platform that takes routes by the thousand.
type Router interface {
	// Routes adds the routes, and returns what removes them. Parts and prefixes are of
	// one family.
	Routes(ctx context.Context, d weir.DUT, s Setup, parts []RoutePart) (undo func(context.Context) error, err error)
}

const (
	// routesProtocol marks routes as weir's, so that one command finds them all. It is none
	// of the numbers that daemons have (linux/rtnetlink.h, and those of FRR, 186 to 198).
	routesProtocol = "119"
	// routesAtOnce is how many go in one command.
	routesAtOnce = 50_000
)

// Routes are added in batches of ip(8), and flushed by their mark.
func (linux) Routes(ctx context.Context, d weir.DUT, s Setup, parts []RoutePart) (func(context.Context) error, error) {
	undo := settings.Undo{Journal: s.Journal}
	fail := func(err error) (func(context.Context) error, error) {
		if back := undo.Run(context.WithoutCancel(ctx)); back != nil {
			err = fmt.Errorf("%w; and removing those that there were: %w", err, back)
		}
		return nil, err
	}
	family := "-4"
	if len(parts) > 0 && parts[0].Via.Is6() {
		family = "-6"
	}
	remove := settings.Command{Argv: []string{"ip", family, "route", "flush", "protocol", routesProtocol}}
	if err := undo.Try(ctx, d.Host, settings.Command{Argv: []string{"true"}}, remove); err != nil {
		return fail(err)
	}
	for _, part := range parts {
		for some := range slices.Chunk(part.Prefixes, routesAtOnce) {
			var batch strings.Builder
			for _, p := range some {
				fmt.Fprintf(&batch, "route add %s via %s dev %s protocol %s\n", p, part.Via, part.Port, routesProtocol)
			}
			if _, err := d.Host.Run(ctx, batch.String(), "ip", family, "-batch", "-"); err != nil {
				return fail(fmt.Errorf("add %d routes through %s: %w", len(part.Prefixes), part.Port, err))
			}
		}
	}
	return undo.Run, nil
}
