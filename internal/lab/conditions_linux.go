package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"weir"
	"weir/fib"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/telemetry"
)

// apply sets each DUT to its condition and returns what undoes all of it.
func (l *netnsLab) apply(ctx context.Context, all ...weir.Condition) (func(context.Context) error, error) {
	var undo settings.Undo
	for i, one := range l.duts() {
		back, err := one.setTo(ctx, all[i])
		if err != nil {
			return nil, errors.Join(err, undo.Run(context.WithoutCancel(ctx)))
		}
		undo.Add(back)
		if err := one.portsUp(); err != nil {
			return nil, errors.Join(fmt.Errorf("set the DUT to %v: %w", all[i], err), undo.Run(context.WithoutCancel(ctx)))
		}
	}
	return undo.Run, nil
}

// portsUp says which of the DUT's ports a command has taken away, or down.
func (l *netnsLab) portsUp() error {
	return l.bed.InDUT(func() error {
		for _, p := range l.bed.DUT().Ports {
			if port, err := net.InterfaceByName(p.DUT); err != nil || port.Flags&net.FlagUp == 0 {
				return fmt.Errorf("its port %s is down, or gone from its namespace: leave both ports there, and up", p.DUT)
			}
		}
		return nil
	})
}

// setTo sets the DUT to a condition and returns what undoes it. The daemons that
// it takes run from then on; queries and updates come with each trial.
func (l *netnsLab) setTo(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	var undo settings.Undo
	for _, set := range []func(context.Context, weir.Condition) (func(context.Context) error, error){
		l.filter, l.setNAPI, l.setLevels, l.setPath, l.setAccess, l.daemons.serve, l.install,
	} {
		back, err := set(ctx, c)
		undo.Add(back) // also of what was done by half
		if err != nil {
			return nil, errors.Join(fmt.Errorf("set the DUT to %v: %w", c, err), undo.Run(context.WithoutCancel(ctx)))
		}
	}
	return undo.Run, nil
}

func (l *netnsLab) filter(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	if c.Filters() == 0 {
		return nil, nil
	}
	platform, ok := l.platform.(dut.Conditioner)
	if !ok {
		return nil, &weir.UnsupportedError{Feature: "filtering on the platform " + l.plan.DUT.Platform, Remedy: "leave the filters out"}
	}
	remove, err := platform.Filter(ctx, l.bed.DUT(), l.setup, c.Filters(), c.Routes().Count > 0)
	if err != nil {
		return nil, err
	}
	l.setup.Filters = c.Filters()
	return func(ctx context.Context) error {
		l.setup.Filters = 0
		return remove(ctx)
	}, nil
}

func (l *netnsLab) setNAPI(_ context.Context, c weir.Condition) (func(context.Context) error, error) {
	return l.bed.SetNAPI(c.NAPI())
}

// install gives the DUT the routes of a condition, through netlink or from its
// BGP neighbour.
func (l *netnsLab) install(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	if c.Routes().Count == 0 {
		return nil, nil
	}
	if err := l.roomFor(ctx, c.Routes()); err != nil {
		return nil, err
	}
	switch via := cmp.Or(c.Routes().Via, weir.ViaNetlink); via {
	case weir.ViaNetlink:
	case weir.ViaBGP:
		_, err := l.daemons.learn(ctx, c.Routes())
		return l.daemons.forget, err
	default:
		return nil, fmt.Errorf("routes cannot be learnt via %q here", via)
	}
	table, err := l.newRoutes(c.Routes())
	if err != nil {
		return nil, err
	}
	l.routes = table
	return func(ctx context.Context) error {
		l.routes = nil
		return l.bed.InDUT(func() error { return table.remove(ctx) })
	}, l.bed.InDUT(func() error { return table.add(ctx) })
}

// roomFor refuses a table for which this machine has too little memory, which
// it could not give back in a hurry.
func (l *netnsLab) roomFor(ctx context.Context, set weir.RouteSet) error {
	left, err := telemetry.ReadAvailable(ctx, l.bed.TesterHost())
	if err != nil {
		return err
	}
	if needed := fib.Memory(set); needed > left {
		return fmt.Errorf("%d %s routes take about %d MB of memory, and %d MB are available: take fewer routes, or free memory",
			set.Count, set.Family, needed>>20, left>>20)
	}
	return nil
}

// routeTable is a routing table in the DUT's kernel. Its routes lead to the
// ports that the forward direction leaves through, in turn.
type routeTable struct {
	parts []dut.RoutePart
}

func (l *netnsLab) newRoutes(set weir.RouteSet) (*routeTable, error) {
	parts, err := routeParts(l.plan, set, l.bed.DUT().Ports, func(port int) netip.Addr { return frame.TesterAddr(set.Family, port) })
	return &routeTable{parts}, err
}

// routeParts are the routes of a set, by the ports that they lead to; via is the
// tester's address behind one.
func routeParts(p plan.Plan, set weir.RouteSet, ports []weir.Port, via func(port int) netip.Addr) ([]dut.RoutePart, error) {
	prefixes, err := fib.Prefixes(set)
	if err != nil {
		return nil, err
	}
	parts := make([]dut.RoutePart, outputs(p, set, len(ports)/2))
	for i := range parts {
		parts[i].Port, parts[i].Via = ports[2*i+1].DUT, via(2*i+1)
	}
	for i, p := range prefixes {
		part := &parts[i%len(parts)]
		part.Prefixes = append(part.Prefixes, p)
	}
	return parts, nil
}

// outputs is how many of n ports the routes of a set lead to: as many as the traffic
// to them has pairs, and the fewest when levels of the plan differ in that, so
// that every frame arrives where its trial looks for it.
func outputs(p plan.Plan, set weir.RouteSet, n int) int {
	for _, t := range p.Traffic {
		if t.Routes == set {
			n = min(n, max(t.Pairs, 1))
		}
	}
	return n
}

// add installs the table, from a thread in the DUT's namespace.
func (t *routeTable) add(ctx context.Context) error {
	for _, p := range t.parts {
		if err := netif.AddRoutes(ctx, p.Port, p.Via, p.Prefixes); err != nil {
			return err
		}
	}
	return nil
}

// remove undoes add, in whole or in part.
func (t *routeTable) remove(ctx context.Context) error {
	var err error
	for _, p := range t.parts {
		err = errors.Join(err, netif.DeleteRoutes(ctx, p.Port, p.Via, p.Prefixes))
	}
	return err
}
