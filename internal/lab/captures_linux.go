package lab

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/plan"
	"weir/internal/settings"
)

// captures reads those whose frames a plan sends, each file once.
func captures(p plan.Plan) (all []*frame.Capture, err error) {
	for _, r := range p.Captures() {
		c, err := frame.ReadCapture(r.File)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// checkCaptures refuses captures with frames from or to an address that the DUT of a lab of
// namespaces has itself, which it would not forward.
func checkCaptures(p plan.Plan) error {
	all, err := captures(p)
	errs := []error{err}
	for _, c := range all {
		for _, f := range c.Flows() {
			if a, port, own := ofLab(p, f); own {
				errs = append(errs, weir.Wrong("the capture %s has frames from %v to %v, and %v is the address of the lab's DUT at its port %d, which forwards none from or to itself", c.File, f.Source, f.Destination, a, port).
					Advise("give the frames another address (tcprewrite)"))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// ofLab is an address of a flow that a port of the DUT has.
func ofLab(p plan.Plan, f frame.Flow) (a netip.Addr, port int, own bool) {
	for port := range dutPorts(p) {
		for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
			router := frame.RouterAddr(family, port)
			if router.IsValid() && (f.Source == router || f.Destination == router) {
				return router, port, true
			}
		}
	}
	return a, 0, false
}

// sends reports by network whether frames of a plan have addresses of it.
func sends(p plan.Plan) (func(netip.Prefix) bool, error) {
	all, err := captures(p)
	if err != nil {
		return nil, err
	}
	return func(n netip.Prefix) bool {
		return slices.ContainsFunc(all, func(c *frame.Capture) bool {
			return slices.ContainsFunc(c.Flows(), func(f frame.Flow) bool { return n.Contains(f.Source) || n.Contains(f.Destination) })
		}) || slices.ContainsFunc(p.Traffic, func(t weir.Traffic) bool {
			return t.Replay == nil && (overlaps(n, t.Forward) || overlaps(n, t.Reverse))
		})
	}, nil
}

// overlaps reports whether a stream may have addresses of a network of IPv4.
func overlaps(n netip.Prefix, s weir.Stream) bool {
	number := func(a netip.Addr) uint64 { four := a.As4(); return uint64(binary.BigEndian.Uint32(four[:])) }
	first := number(n.Addr())
	last := first + 1<<(32-n.Bits()) - 1
	for _, set := range []weir.AddressSet{s.Source, s.Destination} {
		if !set.First.Is4() {
			continue
		}
		from := number(set.First)
		if to := from + uint64(max(set.Count, 1)-1)*uint64(max(set.Stride, 1)); from <= last && to >= first {
			return true
		}
	}
	return false
}

// routeCaptures gives a DUT routes to where the frames of captures go, behind the port at which
// they are received, unless these are in the networks for benchmarks, to which it has some. A
// capture that is sent both ways has no side where its addresses are.
func (l *netnsLab) routeCaptures(ctx context.Context, undo *settings.Undo) error {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		part, err := l.captured(family)
		if err != nil {
			return err
		}
		platform, routes := l.platform.(dut.Router)
		if !routes || len(part.Prefixes) == 0 {
			continue
		}
		for _, one := range l.duts() {
			part.Port = one.bed.DUT().Ports[l.receiver()].DUT
			back, err := platform.Routes(ctx, one.bed.DUT(), l.setup, []dut.RoutePart{part})
			if err != nil {
				return err
			}
			if len(l.arms) == 0 {
				undo.Add(back)
			}
		}
	}
	return nil
}

// receiver is the port of the tester's at which the frames of captures are received.
func (l *netnsLab) receiver() int {
	if slices.ContainsFunc(l.plan.Traffic, func(t weir.Traffic) bool { return t.Replay != nil && t.Backward }) {
		return 0
	}
	return 1
}

// captured is where frames of captures go that are sent one way, of one family.
func (l *netnsLab) captured(family weir.Family) (part dut.RoutePart, err error) {
	if slices.ContainsFunc(l.plan.Traffic, func(t weir.Traffic) bool { return t.Replay != nil && t.Bidirectional }) {
		return part, nil
	}
	all, err := captures(l.plan)
	if err != nil {
		return part, err
	}
	part.Via = frame.TesterAddr(family, l.receiver())
	for _, c := range all {
		for _, to := range c.Destinations() {
			network := netip.PrefixFrom(to, to.BitLen())
			if to.Is4() == (family == weir.IPv4) && !frame.TestNetwork(to) && !slices.Contains(part.Prefixes, network) {
				part.Prefixes = append(part.Prefixes, network)
			}
		}
	}
	return part, nil
}
