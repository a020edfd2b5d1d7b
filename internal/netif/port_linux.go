package netif

import (
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
)

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
