package netif

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
)

// FindPort is the name of the port of the calling thread's namespace that has a name,
// an Ethernet address or, as 0000:03:00.1 or 03:00.1, an address on the PCI bus.
func FindPort(said string) (string, error) {
	links, err := netlink.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return "", fmt.Errorf("list the ports: %w", err)
	}
	mac, _ := net.ParseMAC(said)
	bus := cmp.Or(onPCI(said), onPCI("0000:"+said)) // most machines have one domain
	var found, there []string
	for _, l := range links {
		a := l.Attrs()
		device, _ := filepath.EvalSymlinks("/sys/class/net/" + a.Name + "/device")
		switch {
		case a.Name == said || slices.Contains(a.AltNames, said):
			return a.Name, nil
		case mac != nil && slices.Equal(a.HardwareAddr, mac), bus != "" && bus == onPCI(device):
			found = append(found, a.Name)
		}
		if a.Flags&net.FlagLoopback == 0 {
			there = append(there, a.Name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("there is no port %s here; there are: %s", said, strings.Join(there, ", "))
	}
	return "", fmt.Errorf("%s are several ports: %s; name the one that is meant", said, strings.Join(found, ", "))
}

// onPCI is the address on the PCI bus of a device, by its path: what is below it, as the
// virtio2 of a virtual machine, has none of its own. "": it is not on that bus.
func onPCI(device string) string {
	for _, name := range slices.Backward(strings.Split(device, "/")) {
		if pciAddress.MatchString(name) {
			return strings.ToLower(name)
		}
	}
	return ""
}

var pciAddress = regexp.MustCompile(`^(?i)[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// InUse says what else a port of the calling thread's namespace is used for, so that
// a tester cannot have it; "" where there is nothing.
func InUse(name string) (string, error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return "", fmt.Errorf("find interface %s: %w", name, err)
	}
	a := link.Attrs()
	if a.Flags&net.FlagLoopback != 0 {
		return "is the loopback interface: nothing can be connected with it", nil
	}
	if kind := link.Type(); !slices.Contains(connected, kind) {
		return fmt.Sprintf("is a %s, and no port that a cable is in: take one below it that nothing else uses", kind), nil
	}
	if a.Xdp != nil && a.Xdp.Attached {
		return fmt.Sprintf("has an XDP program of somebody's already: ip link set dev %s xdp off, if nobody needs it", name), nil
	}
	links, err := netlink.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return "", fmt.Errorf("list the ports: %w", err)
	}
	for _, l := range links {
		o := l.Attrs()
		switch {
		case a.MasterIndex != 0 && o.Index == a.MasterIndex:
			return fmt.Sprintf("is a port of the %s %s: ip link set dev %s nomaster takes it out", l.Type(), o.Name, name), nil
		case o.ParentIndex == a.Index && o.NetNsID < 0 && l.Type() != "veth":
			return fmt.Sprintf("has the %s %s above it: ip link delete %s, if nobody needs that", l.Type(), o.Name, o.Name), nil
		}
	}
	above, space, err := aboveElsewhere(a.Index)
	if err != nil {
		return "", fmt.Errorf("look above %s in other namespaces: %w", name, err)
	}
	if above != nil {
		return fmt.Sprintf("has the %s %s above it, in the network namespace %s, as of a container: end what needs that", above.Type(), above.Attrs().Name, space), nil
	}
	return ruled(link)
}

// connected are the kinds of interfaces that something can be connected with: hardware,
// and virtual ones with another end.
var connected = []string{"device", "veth", "tuntap"}

// ruled says which policy route is about a port, or about packets from an address of its.
func ruled(link netlink.Link) (string, error) {
	name := link.Attrs().Name
	own, err := netlink.AddrList(link, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return "", fmt.Errorf("list the addresses of %s: %w", name, err)
	}
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		rules, err := netlink.RuleList(family)
		if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
			return "", fmt.Errorf("list the policy routes: %w", err)
		}
		for _, r := range rules {
			from := r.Src != nil && slices.ContainsFunc(own, func(a netlink.Addr) bool { return r.Src.Contains(a.IP) })
			if r.IifName == name || r.OifName == name || from {
				return fmt.Sprintf("has a policy route (ip rule, priority %d): weir does not know what it is for; take another port, or delete it", r.Priority), nil
			}
		}
	}
	return "", nil
}

// OwnQueueing reports whether somebody gave a port of the calling thread's namespace
// a queueing discipline, which it would lose in another namespace.
func OwnQueueing(name string) (bool, error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return false, fmt.Errorf("find interface %s: %w", name, err)
	}
	all, err := netlink.QdiscList(link)
	if err != nil {
		return false, fmt.Errorf("list the queueing disciplines of %s: %w", name, err)
	}
	return slices.ContainsFunc(all, func(q netlink.Qdisc) bool { // the kernel's own have no handle
		parent := q.Attrs().Parent
		return parent == netlink.HANDLE_ROOT && q.Attrs().Handle != 0 || parent == netlink.HANDLE_INGRESS
	}), nil
}

// Queues is how many queues a port of the calling thread's namespace receives with.
func Queues(name string) (int, error) {
	all, err := filepath.Glob("/sys/class/net/" + name + "/queues/rx-*")
	return len(all), err
}

// CarrierChanges is how often the link of a port of the calling thread's namespace has
// gone or come (Linux 3.16).
func CarrierChanges(name string) (int, error) {
	text, err := os.ReadFile("/sys/class/net/" + name + "/carrier_changes")
	if err != nil {
		return 0, fmt.Errorf("look at the link of %s: %w", name, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// Medium is what a port says of what is plugged into it.
type Medium struct {
	Rate float64 `json:"rate"` // bit/s; 0: it has none or does not say, as virtual links
	Half bool    `json:"half"` // frames go one way at a time
}

// MediumOf is that of a port of the calling thread's namespace.
func MediumOf(name string) (m Medium) {
	if virtual, err := Virtual(name); err != nil || virtual {
		return m
	}
	said := func(what string) string { // nothing, where there is no link
		text, _ := os.ReadFile("/sys/class/net/" + name + "/" + what)
		return strings.TrimSpace(string(text))
	}
	if v, err := strconv.Atoi(said("speed")); err == nil && v > 0 { // in Mbit/s; -1: it is not known
		m.Rate = float64(v) * 1e6
	}
	m.Half = said("duplex") == "half"
	return m
}
