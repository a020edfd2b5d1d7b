package testbed

import (
	"context"
	"net/netip"
	"time"

	"weir/internal/netif"
)

// Counts are what each of the ports has counted so far.
func (p *Ports) Counts() (all []netif.PortCounts, err error) {
	for _, port := range p.ports {
		err := p.of(port.Tester).ns.Do(func() error {
			c, err := netif.ReadPortCounts(port.Tester)
			all = append(all, c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Resolve finds out which Ethernet address frames through a port go to: that of the
// router behind it or, for the zero Addr, of the tester's port at the other side of a
// bridge. It is netif.ErrNoAnswer where nobody answers.
func (p *Ports) Resolve(ctx context.Context, port int, router netip.Addr) error {
	own := &p.ports[port]
	if !router.IsValid() {
		own.DUTMAC = p.ports[port^1].TesterMAC
		return nil
	}
	return p.of(own.Tester).ns.Do(func() error {
		mac, err := netif.Resolve(ctx, own.Tester, router, resolveWait)
		own.DUTMAC = mac.String()
		return err
	})
}

// resolveWait is how long a router may take to answer for its address: it may be busy, or be
// this machine.
const resolveWait = 5 * time.Second
