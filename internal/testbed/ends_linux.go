package testbed

import (
	"context"
	"fmt"
	"slices"

	"weir"
	"weir/internal/netif"
)

// EndHost is a namespace at one side of the DUT, in which programs run that talk
// to those at the other side.
type EndHost struct {
	Port weir.Port // of the DUT, or of the other end host on a cable, with the end host's at its other end

	name    string
	ns      *netif.Namespace
	cpus    []int
	threads []int // in which it takes frames from its port
}

// endNames are the end hosts: the one at the first port, and the one at the
// second.
var endNames = [2]string{"near", "far"}

// addEnds makes the end hosts, each with a port of the DUT behind all others, or on a
// cable. Their programs run where the tester works otherwise. Frames are taken from
// their ports before any program's turn, as in the softirq of a host: otherwise
// the ring of a port would overflow while one computes.
func (l *Netns) addEnds(ctx context.Context, c NetnsConfig, queues int) (err error) {
	if err := makeFolders(func(f folders) error {
		l.folders = f
		return l.entry().renew(ctx)
	}); err != nil {
		return err
	}
	for i, name := range endNames {
		e := &EndHost{name: name, cpus: [2][]int{l.cpus.Generator, l.cpus.Receiver}[i]}
		if e.ns, err = netif.NewNamespace(); err != nil {
			return err
		}
		l.ends = append(l.ends, e)
		if err := e.ns.Do(func() error { return netif.SetUp("lo") }); err != nil {
			return err
		}
		if c.Cable {
			continue
		}
		port := len(l.ports)
		e.Port = weir.Port{
			Tester: fmt.Sprintf("w%st%d", l.ID, port), TesterMAC: mac(0xee, port),
			DUT: fmt.Sprintf("w%sd%d", l.ID, port), DUTMAC: mac(0xdd, port),
			MTU: c.MTU, Queues: queues,
		}
		if err := join(e.ns, e.Port, l.dut); err != nil {
			return err
		}
		if err := l.dut.Do(func() error { return netif.NoSegmentation(e.Port.DUT) }); err != nil {
			return err
		}
		if _, err = l.threadDUT(l.dut, e.Port.DUT); err != nil {
			return err
		}
		l.ports = append(l.ports, e.Port)
	}
	if c.Cable {
		if err := l.joinEnds(c.MTU, queues); err != nil {
			return err
		}
	}
	for _, e := range l.ends {
		if e.threads, err = l.thread(nil, e.ns, e.Port.Tester, e.cpus); err != nil {
			return err
		}
	}
	return nil
}

// joinEnds has the end hosts at the ends of one cable.
func (l *Netns) joinEnds(mtu, queues int) error {
	for i, e := range l.ends {
		e.Port = weir.Port{
			Tester: fmt.Sprintf("w%st%d", l.ID, i), TesterMAC: mac(0xee, i),
			DUT: fmt.Sprintf("w%st%d", l.ID, 1-i), DUTMAC: mac(0xee, 1-i),
			MTU: mtu, Queues: queues,
		}
	}
	if err := join(l.ends[0].ns, l.ends[0].Port, l.ends[1].ns); err != nil {
		return err
	}
	if err := l.ends[1].ns.Do(func() error { return netif.NoSegmentation(l.ends[1].Port.Tester) }); err != nil {
		return err
	}
	for _, e := range l.ends {
		if err := e.ns.Do(func() error { return netif.AwaitCarrier(e.Port.Tester, ownCarrierWait) }); err != nil {
			return err
		}
	}
	return nil
}

// Ends are the end hosts, that at the first port of theirs before the other;
// none in a lab without.
func (l *Netns) Ends() []*EndHost { return l.ends }

// Folders are below which an end host may keep files. They go with the lab, also
// after its process was killed.
func (l *Netns) Folders(e *EndHost) map[weir.Storage]string { return l.folders.of(e) }

// Host is the end host as a place to run commands.
func (e *EndHost) Host() weir.Host { return nsHost{name: e.name, ns: e.ns, cpus: e.cpus} }

// CPUs are those on which its programs run.
func (e *EndHost) CPUs() []int { return e.cpus }

// Do runs f on a thread of the end host's namespace.
func (e *EndHost) Do(f func() error) error { return e.ns.Do(f) }

// taking are the process IDs of the threads in which the end hosts take frames
// from their ports.
func (l *Netns) taking() []int {
	var out []int
	for _, e := range l.ends {
		out = append(out, e.threads...)
	}
	return out
}

// TestPorts are the ports of the DUT with the tester's at their other ends, those
// of pair 0 first.
func (l *Netns) TestPorts() []weir.Port { return l.ports[:max(0, len(l.ports)-len(l.ends))] }

// Behind is the host at the other end of a port of the DUT.
func (l *Netns) Behind(port int) weir.Host {
	if at := port - len(l.TestPorts()); at >= 0 {
		return l.ends[at].Host()
	}
	return l.TesterHost()
}

// DoBehind runs f on a thread of the namespace at the other end of a port of the
// DUT.
func (l *Netns) DoBehind(port int, f func() error) error {
	if at := port - len(l.TestPorts()); at >= 0 {
		return l.ends[at].ns.Do(f)
	}
	return l.Tester.Do(f)
}

// senders are the CPUs from which frames are sent to the DUT's ports.
func (l *Netns) senders() []int {
	if len(l.ends) == 0 {
		return l.cpus.Generator
	}
	return append(slices.Clone(l.cpus.Generator), l.cpus.Receiver...)
}
