package netif

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"

	"weir"
	"weir/internal/settings"
)

// ServeQueues has the receive queues of a port served on the CPUs in turn, so that
// each CPU has its share of them and a stream stays where it is. They are served as
// before when that is undone: in softirq, or by threads that have their CPUs and
// priority, as in a lab. h is the calling thread's namespace.
func ServeQueues(ctx context.Context, undo *settings.Undo, h weir.Host, port string, cpus []int) error {
	// A veth has queues that are served only with GRO or an XDP program, and its threads can be
	// taken away only then: the program goes before them.
	driver, err := Driver(port)
	if err != nil {
		return err
	}
	if driver == "veth" {
		if _, err := undo.Set(ctx, h, settings.Setting{Kind: settings.Feature, Device: port, Name: "generic-receive-offload"}, "on"); err != nil {
			return err
		}
	}
	threaded := settings.Setting{Kind: settings.File, Device: port, Name: Threaded(port)}
	if _, err := undo.Set(ctx, h, threaded, "1"); err != nil {
		return fmt.Errorf("give the queues of %s threads (Linux 5.12 or later): %w", port, err)
	}
	if _, err := StartNAPIThreads(port); err != nil {
		return err
	}
	threads, err := napiThreads(port)
	if err != nil {
		return err
	}
	queues := byQueue(threads)
	if len(queues) < len(cpus) {
		return fmt.Errorf("port %s has fewer receive queues (%d) than there are CPUs for them (%d): name fewer CPUs, or give it more queues (ethtool -L %s rx N, or combined N)",
			port, len(queues), len(cpus), port)
	}
	for i, queue := range queues {
		cpu := strconv.Itoa(cpus[i%len(cpus)])
		for _, t := range queue {
			served := settings.Setting{Kind: settings.Thread, Device: port, Name: strconv.Itoa(t) + " " + kernelThread(t)}
			if _, err := undo.Set(ctx, h, served, settings.ThreadValue(cpu, "rr", "1")); err != nil {
				return fmt.Errorf("bind queue %d of %s to CPU %s: %w", i, port, cpu, err)
			}
		}
	}
	return nil
}

// byQueue are the threads of each queue: drivers add what receives queue by queue, and the
// kernel gives it threads from the last one on where it is there before these. Where as
// many only send, each queue has one of these as well (virtio_net).
func byQueue(serving map[int]uint32) (queues [][]int) {
	var receive, send []int // as the kernel made them
	for _, t := range slices.Sorted(maps.Keys(serving)) {
		if serving[t] > 0 {
			receive = append(receive, t)
		} else {
			send = append(send, t)
		}
	}
	byID := func(a, b int) int { return cmp.Compare(serving[a], serving[b]) }
	if !slices.IsSortedFunc(receive, byID) {
		slices.SortFunc(receive, byID)
		slices.Reverse(send)
	}
	for i, t := range receive {
		queue := []int{t}
		if len(send) == len(receive) {
			queue = append(queue, send[i])
		}
		queues = append(queues, queue)
	}
	if len(send) != len(receive) {
		for _, t := range send {
			queues = append(queues, []int{t})
		}
	}
	return queues
}

// HasAddress reports whether a port of the calling thread's namespace has an address.
func HasAddress(name string, a netip.Prefix) (bool, error) {
	all, err := addressesOf(name)
	for _, o := range all {
		if o == a.Addr() {
			return true, err
		}
	}
	return false, err
}

func addressesOf(name string) (out []netip.Addr, err error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return nil, fmt.Errorf("find interface %s: %w", name, err)
	}
	return listAddresses(link)
}

// listAddresses lists the addresses of a port, or of all; nil.
func listAddresses(link netlink.Link) (out []netip.Addr, err error) {
	all, err := netlink.AddrList(link, netlink.FAMILY_ALL)
	for _, a := range all {
		if ip, ok := netip.AddrFromSlice(a.IP); ok {
			out = append(out, ip.Unmap())
		}
	}
	return out, err
}

// Connected is a connection of TCP that this machine has at an address of a port of
// the calling thread's namespace, such as that of SSH that somebody works through; ""
// where there is none. One whose other end is at this machine, too, goes over no port: any
// user makes some.
func Connected(name string) (string, error) {
	own, err := addressesOf(name)
	if err != nil {
		return "", err
	}
	all, err := listAddresses(nil)
	if err != nil {
		return "", err
	}
	for _, file := range []string{"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a kernel without the family
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			const local, remote, state, established = 1, 2, 3, "01" // of proc(5)
			if len(words) <= state || words[state] != established {
				continue
			}
			from, to := socketOf(words[local]), socketOf(words[remote])
			if slices.Contains(own, from.Addr()) && !slices.Contains(all, to.Addr()) && !to.Addr().IsLoopback() {
				return from.String() + " - " + to.String(), nil
			}
		}
	}
	return "", nil
}

// socketOf reads an address as the kernel writes it: words of four octets in its own
// order, in hexadecimal digits, and the port.
func socketOf(text string) netip.AddrPort {
	digits, port, _ := strings.Cut(text, ":")
	var ip net.IP
	for ; len(digits) >= 8; digits = digits[8:] {
		v, err := strconv.ParseUint(digits[:8], 16, 32)
		if err != nil {
			return netip.AddrPort{}
		}
		ip = append(ip, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	a, _ := netip.AddrFromSlice(ip)
	n, _ := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(a.Unmap(), uint16(n))
}
