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

// Port is what a sender or receiver must know of a port.
type Port struct {
	Address net.HardwareAddr
	Up      bool
	MTU     int // octets
}

// ReadPort looks at a port of the calling thread's namespace.
func ReadPort(name string) (Port, error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return Port{}, fmt.Errorf("find interface %s: %w", name, err)
	}
	a := link.Attrs()
	return Port{Address: a.HardwareAddr, Up: a.Flags&net.FlagUp != 0, MTU: a.MTU}, nil
}
