package lab

import (
	"context"
	"fmt"
	"net/netip"

	"weir"
	"weir/frame"
	"weir/internal/plan"
)

// transfers is the tester where programs of end hosts send, which are the namespaces of
// the two ports.
func (l *portsLab) transfers(ctx context.Context) (weir.Measurer, error) {
	e := &ends{plan: l.plan, bed: l.bed, link: l.endLink}
	if err := e.connect(ctx); err != nil {
		return nil, err
	}
	for _, f := range l.families() {
		if err := e.path.ProveMTU(ctx, f, mtu(l.plan)); err != nil {
			return nil, l.unproven(err)
		}
	}
	return l.whileLinked(l.explained(l.linked(e.transfer))), nil
}

// unproven is an error of a path on which packets do not get through.
func (l *portsLab) unproven(err error) error {
	if l.plan.DUT.Platform == plan.NoDUT {
		return fmt.Errorf("%w: is the cable between the two ports?", err)
	}
	return fmt.Errorf("%w: does the box forward, and has it a route to both networks?", err)
}

// doubt is what may be wrong where nobody answers at a port.
func (l *portsLab) doubt() string {
	if l.plan.DUT.Platform == plan.NoDUT {
		return "the cable between the two ports"
	}
	return "that the DUT's address there (networks), and its port up"
}

// endLink is how the end host at a port is connected.
func (l *portsLab) endLink(end int, f weir.Family) endLink {
	own, router := of(l.plan.Testbed.Networks[end], f)
	other, _ := of(l.plan.Testbed.Networks[1-end], f)
	if l.plan.DUT.Platform == plan.NoDUT {
		return endLink{own, router, []netip.Prefix{netip.PrefixFrom(router, router.BitLen())}}
	}
	behind := []netip.Prefix{other.Masked()}
	if other.Addr() == frame.TesterAddr(f, 1-end) {
		behind = append(behind, frame.Networks(f, 1-end)...)
	}
	return endLink{own, router, behind}
}
