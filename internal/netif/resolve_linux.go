package netif

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// ErrNoAnswer says that nobody has answered for an address.
var ErrNoAnswer = errors.New("nobody has answered")

// Resolve asks the link of a port of the calling thread's namespace for the Ethernet
// address of a neighbour (ARP, RFC 826; ND, RFC 4861), as the kernel does before it
// sends there. It asks also where the kernel knows one: what stands behind the port may
// be another one by now. What did not come from asking stays: an entry that was set to be
// permanent or to need no asking (noarp), and one that was learnt elsewhere
// (extern_learn). It is ErrNoAnswer after as many looks as fit into the limit, so that time
// in which this process had no CPU is not counted.
func Resolve(ctx context.Context, name string, neighbour netip.Addr, limit time.Duration) (net.HardwareAddr, error) {
	index, err := Index(name)
	if err != nil {
		return nil, err
	}
	own, err := net.InterfaceByIndex(index)
	if err != nil {
		return nil, fmt.Errorf("find the port %s: %w", name, err)
	}
	ip, family := net.IP(neighbour.AsSlice()), netlink.FAMILY_V4
	if neighbour.Is6() {
		family = netlink.FAMILY_V6
	}
	const known = unix.NUD_REACHABLE | unix.NUD_STALE | unix.NUD_DELAY | unix.NUD_PROBE | unix.NUD_PERMANENT | unix.NUD_NOARP
	const pause = 5 * time.Millisecond
	if err := forget(index, family, ip); err != nil {
		return nil, fmt.Errorf("forget %v at %s: %w", neighbour, name, err)
	}
	asked := time.Time{}
	for left := limit / pause; ; left-- {
		list, err := netlink.NeighList(index, family)
		if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
			return nil, fmt.Errorf("list the neighbours of %s: %w", name, err)
		}
		for _, n := range list {
			if n.IP.Equal(ip) && n.State&known != 0 && len(n.HardwareAddr) == 6 && !bytes.Equal(n.HardwareAddr, own.HardwareAddr) {
				return n.HardwareAddr, nil // a port that does not ask (arp off) has its own for all
			}
		}
		switch now := time.Now(); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case left <= 0:
			return nil, fmt.Errorf("%w for %v at %s within %v", ErrNoAnswer, neighbour, name, limit)
		case now.Sub(asked) > time.Second: // the kernel asks three times, and gives up
			asked = now
			if err := withNeighbours(ask(index, family, neighbour), neighbour); err != nil {
				return nil, fmt.Errorf("ask for %v at %s: %w", neighbour, name, err)
			}
		}
		time.Sleep(pause)
	}
}

// withNeighbours says of an error that the kernel has no room for a neighbour, which it gives
// no other name, what fills the room and what to do: any user does, by a namespace of theirs.
func withNeighbours(err error, neighbour netip.Addr) error {
	if !errors.Is(err, unix.ENOBUFS) {
		return err
	}
	table, family := "arp_cache", "ipv4"
	if neighbour.Is6() {
		table, family = "ndisc_cache", "ipv6"
	}
	there := "with those of all namespaces"
	if text, err := os.ReadFile("/proc/1/net/stat/" + table); err == nil {
		_, lines, _ := strings.Cut(string(text), "\n")
		first, _, _ := strings.Cut(lines, " ")
		if n, err := strconv.ParseUint(first, 16, 32); err == nil {
			there = fmt.Sprintf("%d %s", n, there)
		}
	}
	return fmt.Errorf("%w: the kernel has no room for one more neighbour (%s): end what makes so many (ip neighbour, in each namespace: lsns -t net), or give it more room: sysctl -w net.%s.neigh.default.gc_thresh3=16384", err, there, family)
}

// forget has the kernel forget what it has learnt of a neighbour by asking.
func forget(index, family int, ip net.IP) error {
	list, err := netlink.NeighList(index, family)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return err
	}
	for _, n := range list {
		if !n.IP.Equal(ip) || n.State&(unix.NUD_PERMANENT|unix.NUD_NOARP) != 0 || n.Flags&unix.NTF_EXT_LEARNED != 0 {
			continue
		}
		if err := netlink.NeighDel(&n); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	return nil
}

// ask has the kernel ask for a neighbour: of IPv6 by a datagram that nobody is waiting
// for, since it asks from the address of a packet, or from a link-local one, and a port
// of a tester has none.
func ask(index, family int, neighbour netip.Addr) error {
	if family == netlink.FAMILY_V4 {
		return netlink.NeighSet(&netlink.Neigh{LinkIndex: index, Family: family, IP: neighbour.AsSlice(), Flags: unix.NTF_USE})
	}
	const discard = 9 // RFC 863
	c, err := net.Dial("udp6", netip.AddrPortFrom(neighbour, discard).String())
	if err != nil {
		return err
	}
	_, err = c.Write([]byte{0})
	return errors.Join(err, c.Close())
}
