package netif

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Steer hands what a port of the calling thread's namespace receives to a set
// of CPUs (receive packet steering), whose softirq then does the rest: the
// frame waits in the backlog of its CPU, which its flow decides. Without CPUs
// each frame stays on the one that took it from the ring.
func Steer(name string, cpus []int) error {
	files, err := filepath.Glob("/sys/class/net/" + name + "/queues/rx-*/rps_cpus")
	if err == nil && len(files) == 0 {
		err = os.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("find the receive queues of %s: %w", name, err)
	}
	for _, file := range files {
		if err := os.WriteFile(file, []byte(cpuMask(cpus)), 0o644); err != nil {
			return fmt.Errorf("steer what %s receives to CPUs %v: %w", name, cpus, err)
		}
	}
	return nil
}

// cpuMask is a set of CPUs as the kernel reads it: words of 32 bits, the
// highest first.
func cpuMask(cpus []int) string {
	words := []uint32{0}
	for _, c := range cpus {
		for len(words) <= c/32 {
			words = append(words, 0)
		}
		words[c/32] |= 1 << (c % 32)
	}
	var out []string
	for i := len(words) - 1; i >= 0; i-- {
		out = append(out, fmt.Sprintf("%08x", words[i]))
	}
	return strings.Join(out, ",")
}

// Ordinary undoes Prefer: threads have the priority that others have.
func Ordinary(tids []int) error {
	for _, tid := range tids {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
		if err := unix.SchedSetAttr(tid, &attr, 0); err != nil {
			return fmt.Errorf("give thread %d ordinary priority: %w", tid, err)
		}
	}
	return nil
}

// What is said to the kernel of NAPI, as in its netlink specification "netdev".
const (
	netdevNapiGet      = 11
	netdevNapiSet      = 14
	netdevNapiIfindex  = 1
	netdevNapiID       = 2
	netdevNapiThreaded = 8

	napiThreaded = 1
	napiBusyPoll = 2 // a kernel that does not know it says ERANGE
)

// ErrNoBusyPoll says that this kernel's NAPI threads always sleep when there is
// nothing to do.
var ErrNoBusyPoll = errors.New("the kernel has no NAPI threads that never sleep")

// BusyPoll keeps the NAPI threads of a port of the calling thread's namespace
// from sleeping, or lets them sleep again. They have to be there already. It is
// ErrNoBusyPoll where the kernel has no such threads.
func BusyPoll(name string, on bool) error {
	index, err := Index(name)
	if err != nil {
		return err
	}
	family, err := netlink.GenlFamilyGet("netdev")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoBusyPoll, err)
	}
	request := func(command uint8, flags int, attrs ...*nl.RtAttr) ([][]byte, error) {
		r := nl.NewNetlinkRequest(int(family.ID), flags)
		r.AddData(&nl.Genlmsg{Command: command, Version: 1})
		for _, a := range attrs {
			r.AddData(a)
		}
		return r.Execute(unix.NETLINK_GENERIC, 0)
	}
	napis, err := request(netdevNapiGet, unix.NLM_F_DUMP, nl.NewRtAttr(netdevNapiIfindex, nl.Uint32Attr(uint32(index))))
	if err != nil {
		return fmt.Errorf("list the NAPI instances of %s: %w", name, err)
	}
	mode := uint32(napiThreaded)
	if on {
		mode = napiBusyPoll
	}
	for _, napi := range napis {
		attrs, err := nl.ParseRouteAttr(napi[nl.SizeofGenlmsg:])
		if err != nil {
			return err
		}
		for _, a := range attrs {
			if a.Attr.Type != netdevNapiID {
				continue
			}
			_, err := request(netdevNapiSet, unix.NLM_F_ACK, nl.NewRtAttr(netdevNapiID, a.Value),
				nl.NewRtAttr(netdevNapiThreaded, nl.Uint32Attr(mode)))
			if errors.Is(err, unix.ERANGE) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) {
				return fmt.Errorf("%w: %w", ErrNoBusyPoll, err)
			}
			if err != nil {
				return fmt.Errorf("set the NAPI threads of %s: %w", name, err)
			}
		}
	}
	return nil
}
