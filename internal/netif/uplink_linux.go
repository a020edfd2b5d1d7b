package netif

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"weir/internal/uplink"
)

// Uplink reports whether a port of the calling thread's namespace leads to the
// networks that the machine lives on, and why.
func Uplink(name string) (why uplink.Reason, leads bool, err error) {
	index, err := Index(name)
	if err != nil {
		return why, false, err
	}
	s, err := survey()
	if err != nil {
		return why, false, fmt.Errorf("find out where %s leads: %w", name, err)
	}
	why, leads = uplink.Ports(s.links, s.routes)[located{s.home, index}.id()]
	return why, leads, nil
}

// located is a device of any namespace.
type located struct {
	space uint64 // the inode of its namespace
	index int
}

func (d located) id() string { return fmt.Sprintf("%d of %d", d.index, d.space) }

// surveyed is what uplink decides from: what is seen from one namespace.
type surveyed struct {
	home   uint64 // the inode of the namespace that was begun in
	links  []uplink.Link
	routes []uplink.Route
	files  map[uint64]string // a file for each namespace of this machine that is to be found, by inode
	read   map[uint64]bool   // namespaces, by inode
}

// survey looks at the calling thread's namespace, and at all that its veth ports
// and what lies above or below its devices lead to.
func survey() (*surveyed, error) {
	here, err := netns.Get()
	if err != nil {
		return nil, err
	}
	defer here.Close()
	inode, err := inodeOf(int(here))
	if err != nil {
		return nil, err
	}
	s := &surveyed{home: inode, read: map[uint64]bool{inode: true}}
	return s, s.look(here, inode)
}

func inodeOf(fd int) (uint64, error) {
	var stat unix.Stat_t
	err := unix.Fstat(fd, &stat)
	return stat.Ino, err
}

// look reads a namespace, and those behind it.
func (s *surveyed) look(ns netns.NsHandle, space uint64) error {
	h, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer h.Close()
	links, err := h.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return fmt.Errorf("list the devices: %w", err)
	}
	behind := map[int]uint64{} // by the number that this namespace knows it by
	for _, l := range links {
		if a := l.Attrs(); a.ParentIndex != 0 && a.NetNsID >= 0 {
			behind[a.NetNsID] = 0
		}
	}
	if len(behind) > 0 {
		s.find(h, behind)
	}
	for _, l := range links {
		s.add(l, space, behind)
	}
	if err := s.routesOf(h, space); err != nil {
		return err
	}
	for _, other := range behind {
		if other == 0 || s.read[other] {
			continue
		}
		s.read[other] = true
		there, err := netns.GetFromPath(s.files[other])
		if err != nil {
			continue // it is gone
		}
		err = s.look(there, other)
		there.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *surveyed) add(l netlink.Link, space uint64, behind map[int]uint64) {
	a := l.Attrs()
	link := uplink.Link{ID: located{space, a.Index}.id(), Name: a.Name, Far: space != s.home}
	if kind := l.Type(); kind != "device" {
		link.Kind = kind
	}
	if a.MasterIndex != 0 {
		link.Master = located{space, a.MasterIndex}.id()
	}
	switch {
	case a.ParentIndex == 0:
	case a.NetNsID < 0:
		link.Lower = located{space, a.ParentIndex}.id()
	case behind[a.NetNsID] == 0:
		link.Hidden = true
	default:
		link.Lower = located{behind[a.NetNsID], a.ParentIndex}.id()
	}
	s.links = append(s.links, link)
}

// find fills in the inodes of namespaces that one knows by number.
func (s *surveyed) find(h *netlink.Handle, behind map[int]uint64) {
	if s.files == nil {
		s.files = Spaces()
	}
	for inode, file := range s.files {
		ns, err := netns.GetFromPath(file)
		if err != nil {
			continue // it is gone
		}
		if number, err := h.GetNetNsIdByFd(int(ns)); err == nil {
			if _, asked := behind[number]; asked {
				behind[number] = inode
			}
		}
		ns.Close()
	}
}

// Spaces are files of the network namespaces that a process or a thread is in, or that have
// a name, by their inodes.
func Spaces() map[uint64]string {
	found := map[uint64]string{}
	all := Named()
	for _, pattern := range []string{"/proc/[0-9]*/ns/net", "/proc/[0-9]*/task/[0-9]*/ns/net"} {
		files, _ := filepath.Glob(pattern) // the patterns are right
		all = append(all, files...)
	}
	for _, file := range all {
		var stat unix.Stat_t
		if unix.Stat(file, &stat) == nil {
			if _, known := found[stat.Ino]; !known {
				found[stat.Ino] = file
			}
		}
	}
	return found
}

// routesOf reads all routing tables, and asks where public addresses are reached:
// a route may name its ports in ways that a table does not show.
func (s *surveyed) routesOf(h *netlink.Handle, space uint64) error {
	add := func(to netip.Prefix, r netlink.Route) {
		route := uplink.Route{To: to}
		for _, hop := range r.MultiPath {
			route.Through = append(route.Through, located{space, hop.LinkIndex}.id())
		}
		if r.LinkIndex != 0 {
			route.Through = append(route.Through, located{space, r.LinkIndex}.id())
		}
		s.routes = append(s.routes, route)
	}
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		err := h.RouteListFilteredIter(family, &netlink.Route{Table: unix.RT_TABLE_UNSPEC, Type: unix.RTN_UNICAST},
			netlink.RT_FILTER_TABLE|netlink.RT_FILTER_TYPE, func(r netlink.Route) bool {
				if to := prefixOf(r.Dst, family); uplink.Public(to) {
					add(to, r)
				}
				return true
			})
		if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
			return fmt.Errorf("list the routes: %w", err)
		}
	}
	for _, address := range uplink.Asked {
		routes, err := h.RouteGet(address.AsSlice())
		if err != nil {
			continue // there is none
		}
		for _, r := range routes {
			if r.Type == unix.RTN_UNICAST {
				add(netip.PrefixFrom(address, address.BitLen()), r)
			}
		}
	}
	return nil
}

// prefixOf is where a route leads: everywhere, where it does not say.
func prefixOf(dst *net.IPNet, family int) netip.Prefix {
	if dst == nil {
		if family == netlink.FAMILY_V4 {
			return netip.PrefixFrom(netip.IPv4Unspecified(), 0)
		}
		return netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	address, _ := netip.AddrFromSlice(dst.IP)
	bits, _ := dst.Mask.Size()
	return netip.PrefixFrom(address, bits)
}
