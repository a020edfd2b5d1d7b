package lab

import (
	"context"
	"fmt"
	"net/netip"

	"weir"
	"weir/frame"
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
			return nil, fmt.Errorf("%w: does the box forward, and has it a route to both networks?", err)
		}
	}
	return l.whileLinked(l.explained(l.linked(e.transfer))), nil
}

// endLink is how the end host at a port is connected.
func (l *portsLab) endLink(end int, f weir.Family) endLink {
	own, router := of(l.plan.Testbed.Networks[end], f)
	other, _ := of(l.plan.Testbed.Networks[1-end], f)
	behind := []netip.Prefix{other.Masked()}
	if other.Addr() == frame.TesterAddr(f, 1-end) {
		behind = append(behind, frame.Networks(f, 1-end)...)
	}
	return endLink{own, router, behind}
}
