package netif

import (
	"errors"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// aboveElsewhere is a device above a port of the calling thread's namespace that is in
// another one, as the macvlan of a container, and a file of that namespace; nil: there is
// none that can be found.
func aboveElsewhere(port int) (netlink.Link, string, error) {
	here, err := netns.Get()
	if err != nil {
		return nil, "", err
	}
	defer here.Close()
	own, err := inodeOf(int(here))
	if err != nil {
		return nil, "", err
	}
	for inode, file := range Spaces() {
		if inode == own {
			continue
		}
		there, err := netns.GetFromPath(file)
		if err != nil {
			continue // it is gone
		}
		found, err := aboveIn(there, here, port)
		there.Close()
		if err != nil || found != nil {
			return found, file, err
		}
	}
	return nil, "", nil
}

// aboveIn is a device of a namespace that is above a port of another one.
func aboveIn(there, here netns.NsHandle, port int) (netlink.Link, error) {
	h, err := netlink.NewHandleAt(there, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, nil // its name is left, and it is not, as of one of another mount namespace
	}
	defer h.Close()
	number, err := h.GetNetNsIdByFd(int(here))
	if err != nil || number < 0 {
		return nil, nil // nothing there has to do with here
	}
	links, err := h.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, err
	}
	for _, l := range links {
		if a := l.Attrs(); a.ParentIndex == port && a.NetNsID == number && l.Type() != "veth" {
			return l, nil
		}
	}
	return nil, nil
}
