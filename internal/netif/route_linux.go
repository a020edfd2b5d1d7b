package netif

import (
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
)

// CarriesDefaultRoute reports whether a default route of the calling thread's
// namespace leaves through the port: test traffic there would hit whatever the
// machine lives on.
func CarriesDefaultRoute(name string) (bool, error) {
	index, err := Index(name)
	if err != nil {
		return false, err
	}
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		routes, err := netlink.RouteList(nil, family)
		if err != nil {
			return false, fmt.Errorf("list the routes: %w", err)
		}
		for _, r := range routes {
			if !isDefault(r.Dst) {
				continue
			}
			if r.LinkIndex == index {
				return true, nil
			}
			for _, hop := range r.MultiPath {
				if hop.LinkIndex == index {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

func isDefault(dst *net.IPNet) bool {
	if dst == nil {
		return true
	}
	ones, _ := dst.Mask.Size()
	return ones == 0
}

// HardwareAddr is the Ethernet address of a port of the calling thread's
// namespace, and whether the port is up.
func HardwareAddr(name string) (addr net.HardwareAddr, up bool, err error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return nil, false, fmt.Errorf("find interface %s: %w", name, err)
	}
	return link.Attrs().HardwareAddr, link.Attrs().Flags&net.FlagUp != 0, nil
}
