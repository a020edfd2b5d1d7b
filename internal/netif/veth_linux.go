package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"github.com/vishvananda/netlink"
)

// End is one end of a veth pair.
type End struct {
	Namespace *Namespace
	Name      string
	MAC       net.HardwareAddr
}

// VethRing is the number of frames that each receive queue of a veth port holds:
// VETH_RING_SIZE of the kernel, the same since Linux 4.19.
const VethRing = 256

// Veth makes a pair of virtual Ethernet ports with a number of queues, each in
// its namespace, up, with GRO on: a veth port without GRO or an XDP program has
// no NAPI and silently swallows the frames that XDP sends to it.
func Veth(a, b End, queues, mtu int) error {
	err := a.Namespace.Do(func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU, attrs.HardwareAddr = a.Name, mtu, a.MAC
		attrs.NumTxQueues, attrs.NumRxQueues = queues, queues
		pair := &netlink.Veth{
			LinkAttrs: attrs, PeerName: b.Name, PeerHardwareAddr: b.MAC,
			PeerNumTxQueues: uint32(queues), PeerNumRxQueues: uint32(queues), PeerMTU: uint32(mtu),
			PeerNamespace: netlink.NsFd(b.Namespace.FD()),
		}
		if err := netlink.LinkAdd(pair); err != nil {
			return fmt.Errorf("make veth pair %s - %s: %w", a.Name, b.Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// GRO comes first at both ends: a port learns when it is set up whether its
	// peer takes redirected frames, and never hears of it later.
	for _, step := range []func(name string) error{
		func(name string) error { return SetFeature(name, "rx-gro", true) },
		SetUp,
	} {
		for _, end := range []End{a, b} {
			if err := end.Namespace.Do(func() error { return step(end.Name) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// Index is the interface index of a port in the calling thread's namespace.
func Index(name string) (int, error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return 0, fmt.Errorf("find interface %s: %w", name, err)
	}
	return link.Attrs().Index, nil
}

// SetUp sets a port of the calling thread's namespace up.
func SetUp(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("find interface %s: %w", name, err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("set %s up: %w", name, err)
	}
	return nil
}

// SetDown sets a port of the calling thread's namespace down. It loses the
// routes and neighbours that the kernel has through it, its IPv6 addresses, and
// its NAPI threads.
func SetDown(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("find interface %s: %w", name, err)
	}
	if err := netlink.LinkSetDown(link); err != nil {
		return fmt.Errorf("set %s down: %w", name, err)
	}
	return nil
}

// AwaitCarrier waits until a port of the calling thread's namespace has a
// carrier. The kernel reports it up to a second after a link was set up.
func AwaitCarrier(name string, limit time.Duration) error {
	for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		link, err := netlink.LinkByName(name)
		if err != nil {
			return fmt.Errorf("find interface %s: %w", name, err)
		}
		switch link.Attrs().OperState {
		case netlink.OperUp:
			return nil
		case netlink.OperUnknown: // of a driver that does not say it
			if carrier, err := os.ReadFile("/sys/class/net/" + name + "/carrier"); err == nil && string(carrier) == "1\n" {
				return nil
			}
		}
		if time.Now().After(end) {
			waited := ""
			if limit > 0 {
				waited = fmt.Sprintf(" after %v", limit)
			}
			return fmt.Errorf("%s has no carrier%s: its state is %s", name, waited, link.Attrs().OperState)
		}
	}
}

// NoLinkLocal has the kernel give ports that are made later in the calling
// thread's namespace no IPv6 address of its own choice: with one it looks for
// routers and says that it is there, in frames that a trial does not count and
// that the DUT may drop.
func NoLinkLocal() error {
	const none = "1" // IN6_ADDR_GEN_MODE_NONE
	err := os.WriteFile("/proc/sys/net/ipv6/conf/default/addr_gen_mode", []byte(none), 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a kernel without IPv6
		return fmt.Errorf("keep ports from choosing addresses: %w", err)
	}
	return nil
}

// OwnAnswersOnly has the kernel answer for an address at the port alone that has it,
// in the calling thread's namespace: whoever asks at another one has its cables
// swapped, and must not be served (arp_ignore).
func OwnAnswersOnly() error {
	if err := os.WriteFile("/proc/sys/net/ipv4/conf/all/arp_ignore", []byte("1"), 0); err != nil {
		return fmt.Errorf("keep ports from answering for each other: %w", err)
	}
	return nil
}

// AddAddress gives a port of the calling thread's namespace an address.
func AddAddress(name, cidr string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("find interface %s: %w", name, err)
	}
	addr, err := netlink.ParseAddr(cidr)
	if err != nil {
		return err
	}
	addr.Flags = 0x02 // IFA_F_NODAD: usable at once
	if err := netlink.AddrReplace(link, addr); err != nil {
		return fmt.Errorf("give %s the address %s: %w", name, cidr, err)
	}
	return nil
}
