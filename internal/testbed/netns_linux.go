package testbed

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"sync/atomic"

	"weir"
	"weir/internal/netif"
)

// NetnsConfig is what a lab in network namespaces can be told.
type NetnsConfig struct {
	CPUs    weir.CPUs // empty sets are filled in by PlaceCPUs
	MTU     int       // of all links; 0: 1500
	Pairs   int       // of ports: pair p is port 2p and 2p+1; 0: 1, or none beside end hosts
	Arms    int       // DUTs side by side, each with a pair of ports of its own; 0: 1. Then there are no Pairs, Ends and Control
	Ends    bool      // end hosts, at two more ports of the DUT
	Cable   bool      // the end hosts are on one cable instead: there is no DUT, and no Pairs, Arms and Control
	Control bool      // a link of its own to the DUT's control plane
	Poll    Poller    // nil: there are no processes that poll
	// Sends reports whether test frames have addresses of a network, which the control link then
	// does not take; nil: they have those for benchmarks alone.
	Sends func(netip.Prefix) bool
	Keep  bool // the lab outlives this process, until Down
}

// Netns is a lab on this machine: a tester and a DUT, each a network namespace
// with pairs of ports, joined by veth links with one queue per CPU. The DUT's
// queues have kernel threads of their own, bound to the DUT's CPUs: otherwise
// the sender would do the DUT's work, and be slowed down instead of seeing loss.
//
// Another link joins the tester with itself, for measuring it without the DUT.
type Netns struct {
	ID      string
	Tester  *netif.Namespace
	Self    weir.Port // the tester's link to itself; its "DUT" end is the receiving one; the zero Port without test ports
	Control weir.Port // the link to the DUT's control plane; the zero Port without one
	// ControlDUT and ControlTester are the addresses of that link at its two ends.
	ControlDUT, ControlTester netip.Prefix

	dut        *netif.Namespace
	beside     []*netif.Namespace // arms 1, 2, ...
	ends       []*EndHost
	ports      []weir.Port // of the DUT: those of the tester, then those of the end hosts
	cpus       weir.CPUs
	forwarding *atomic.Pointer[[]int] // the DUT's threads that do it: an event of a trial renews them while others read
	receiving  []int                  // the tester's
	managing   []int                  // those of the DUT's end of the control link
	way        weir.NAPI
	poll       Poller
	one        bool // whether this is one of several DUTs side by side, which share their threads' CPUs (Only)
	keep       bool
	spaces     []space         // its namespaces, in which nothing is to live on; none of a lab that is kept, where users may have shells
	session    netif.Autogroup // how it was before all labs that are measured in it; none of a lab that is kept
	folders    folders         // of its end hosts' files
	release    func()          // has others know that it has no owner any more
}

// OpenNetns makes a lab. Unless it is to be kept, the kernel removes all of it
// when this process ends, however it ends.
func OpenNetns(ctx context.Context, c NetnsConfig) (*Netns, error) {
	if c.MTU == 0 {
		c.MTU = 1500
	}
	cpus, err := PlaceCPUs(runtime.NumCPU(), c.CPUs)
	if err != nil {
		return nil, err
	}
	if c.Cable {
		if len(c.CPUs.Receiver) == 0 {
			cpus.Receiver = cpus.DUT // which nobody else has
		}
		cpus.DUT = nil
	}
	lab := &Netns{ID: newID(), cpus: cpus, keep: c.Keep, poll: c.Poll, forwarding: new(atomic.Pointer[[]int])}
	if err := lab.enrol(ctx); err != nil {
		return nil, fmt.Errorf("make a lab: %w", err)
	}
	if err := lab.build(ctx, c); err != nil {
		lab.keep = false // what there is of it goes
		lab.Close()
		return nil, fmt.Errorf("make a lab: %w", err)
	}
	return lab, nil
}

func (l *Netns) build(ctx context.Context, c NetnsConfig) (err error) {
	if l.Tester, err = netif.NewNamespace(); err != nil {
		return err
	}
	if l.dut, err = netif.NewNamespace(); err != nil {
		return err
	}
	for range c.Arms - 1 {
		ns, err := netif.NewNamespace()
		if err != nil {
			return err
		}
		l.beside = append(l.beside, ns)
	}
	for _, ns := range append([]*netif.Namespace{l.Tester, l.dut}, l.beside...) {
		if err := ns.Do(func() error { return netif.SetUp("lo") }); err != nil {
			return err
		}
	}
	if err := l.Tester.Do(netif.NoLinkLocal); err != nil {
		return err
	}
	queues := runtime.NumCPU()
	if err := l.addPorts(c, queues); err != nil {
		return err
	}
	if c.Ends {
		if err := l.addEnds(ctx, c, queues); err != nil {
			return err
		}
	}
	if c.Control {
		l.ControlDUT, l.ControlTester = ControlAddresses(c.Sends)
		if err := l.control(c.MTU); err != nil {
			return err
		}
	}
	// Where the receiver shares a CPU with the generator, which never sleeps,
	// it would otherwise get its turn every few milliseconds only, too late for
	// its ring of 256 frames.
	// The DUT's threads take precedence too, as the softirq does in which a
	// kernel forwards otherwise: a daemon that wakes up would keep them from
	// their ring for a whole tick.
	for _, threads := range [][]int{l.receiving, l.Forwarding(), l.taking()} {
		if err := netif.Prefer(threads); err != nil {
			return err
		}
	}
	for i, p := range l.ports {
		if err := l.home(i).Do(func() error { return netif.AwaitCarrier(p.DUT, ownCarrierWait) }); err != nil {
			return err
		}
	}
	return l.enter(ctx)
}

// addPorts makes the test ports, as many as are asked for, and with them the
// tester's link to itself.
func (l *Netns) addPorts(c NetnsConfig, queues int) (err error) {
	pairs := c.Pairs
	if !c.Ends {
		pairs = max(pairs, 1)
	}
	for i := range 2 * max(pairs, c.Arms) {
		p := weir.Port{
			Tester: fmt.Sprintf("w%st%d", l.ID, i), TesterMAC: mac(0xaa, i),
			DUT: fmt.Sprintf("w%sd%d", l.ID, i), DUTMAC: mac(0xdd, i),
			MTU: c.MTU, Queues: queues,
		}
		if err := l.join(p, l.home(i)); err != nil {
			return err
		}
		threads, err := l.threadDUT(l.home(i), p.DUT)
		if err != nil {
			return err
		}
		if c.Arms > 1 {
			// Threads that choose among CPUs choose differently in each arm, and no two
			// CPUs of a shared machine are equally fast.
			for queue, thread := range threads {
				if err := netif.Pin(thread, l.cpus.DUT[queue%len(l.cpus.DUT):][:1]); err != nil {
					return err
				}
			}
		}
		if l.receiving, err = l.thread(l.receiving, l.Tester, p.Tester, l.cpus.Receiver); err != nil {
			return err
		}
		l.ports = append(l.ports, p)
	}
	if pairs == 0 {
		return nil
	}
	self := weir.Port{
		Tester: fmt.Sprintf("w%ss0", l.ID), TesterMAC: mac(0xbb, 0),
		DUT: fmt.Sprintf("w%ss1", l.ID), DUTMAC: mac(0xbb, 1),
		MTU: c.MTU, Queues: queues,
	}
	if err := l.join(self, l.Tester); err != nil {
		return err
	}
	if l.receiving, err = l.thread(l.receiving, l.Tester, self.DUT, l.cpus.Receiver); err != nil {
		return err
	}
	l.Self = self
	return nil
}

// controlNetworks are those that the control link may have: for documents (RFC 5737), and for
// links between routers of a provider (RFC 6598).
var controlNetworks = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/30"), netip.MustParsePrefix("198.51.100.0/30"), netip.MustParsePrefix("203.0.113.0/30"), netip.MustParsePrefix("100.127.255.0/30"),
}

// The addresses of the control link of a lab whose test frames are in the networks for benchmarks.
var ControlDUT, ControlTester = ControlAddresses(nil)

// ControlAddresses are the addresses of the control link at the DUT and at the tester: the first
// of its networks of which no test frame has an address, or the last.
func ControlAddresses(sends func(netip.Prefix) bool) (dut, tester netip.Prefix) {
	network := controlNetworks[0]
	for _, n := range controlNetworks {
		if network = n; sends == nil || !sends(n) {
			break
		}
	}
	first := network.Addr().Next()
	return netip.PrefixFrom(first, network.Bits()), netip.PrefixFrom(first.Next(), network.Bits())
}

// control makes the link to the DUT's control plane. Its port is one for
// management: the DUT takes frames from it with ordinary priority. It has one queue,
// which goes on where it has a queueing discipline: of several, Linux from 6.16 on starts
// none but the first again that a full ring has stopped, unless an XDP program was there once.
func (l *Netns) control(mtu int) (err error) {
	p := weir.Port{
		Tester: fmt.Sprintf("w%sc0", l.ID), TesterMAC: mac(0xcc, 0),
		DUT: fmt.Sprintf("w%sc1", l.ID), DUTMAC: mac(0xcc, 1),
		MTU: mtu, Queues: 1,
	}
	if err := l.join(p, l.dut); err != nil {
		return err
	}
	if l.managing, err = l.thread(l.managing, l.dut, p.DUT, l.cpus.DUT); err != nil {
		return err
	}
	if l.receiving, err = l.thread(l.receiving, l.Tester, p.Tester, l.cpus.Receiver); err != nil {
		return err
	}
	if err := l.Tester.Do(func() error { return netif.AddAddress(p.Tester, l.ControlTester.String()) }); err != nil {
		return err
	}
	l.Control = p
	return l.dut.Do(func() error {
		if err := netif.NoSegmentation(p.DUT); err != nil {
			return err
		}
		return netif.AddAddress(p.DUT, l.ControlDUT.String())
	})
}

func (l *Netns) join(p weir.Port, other *netif.Namespace) error {
	return join(l.Tester, p, other)
}

// join makes the link of a port from one namespace to another.
func join(near *netif.Namespace, p weir.Port, other *netif.Namespace) error {
	nearMAC, err := net.ParseMAC(p.TesterMAC)
	if err != nil {
		return err
	}
	farMAC, err := net.ParseMAC(p.DUTMAC)
	if err != nil {
		return err
	}
	err = netif.Veth(
		netif.End{Namespace: near, Name: p.Tester, MAC: nearMAC},
		netif.End{Namespace: other, Name: p.DUT, MAC: farMAC}, p.Queues, p.MTU)
	if err != nil {
		return err
	}
	// With segmentation the sender would do the work of the other end.
	return near.Do(func() error { return netif.NoSegmentation(p.Tester) })
}

// thread gives a port its NAPI threads and appends them to pids.
func (l *Netns) thread(pids []int, ns *netif.Namespace, port string, cpus []int) ([]int, error) {
	err := ns.Do(func() error {
		threads, err := netif.ThreadNAPI(port, cpus)
		pids = append(pids, threads...)
		return err
	})
	return pids, err
}

// threadDUT gives a port of the DUT its NAPI threads.
func (l *Netns) threadDUT(ns *netif.Namespace, port string) ([]int, error) {
	threads, err := l.thread(nil, ns, port, l.cpus.DUT)
	l.setForwarding(slices.Concat(l.Forwarding(), threads))
	return threads, err
}

// mac is a locally administered address that says whose it is.
func mac(role byte, port int) string {
	return net.HardwareAddr{0x02, 0x77, 0x65, role, 0, byte(port + 1)}.String()
}

// DUT is the forwarding namespace with its ports, those of pair 0 first and those
// of end hosts last. Its
// commands run on the CPUs on which it forwards, as they would on a machine of
// its own.
func (l *Netns) DUT() weir.DUT {
	if len(l.beside) > 0 {
		return l.Arm(0)
	}
	return weir.DUT{Host: nsHost{name: "dut", ns: l.dut, cpus: l.cpus.DUT}, Ports: l.ports}
}

// Arm is one of the DUTs that stand side by side, from 0 on, with its two ports.
func (l *Netns) Arm(a int) weir.DUT {
	ns := l.home(2 * a)
	return weir.DUT{Host: nsHost{name: fmt.Sprintf("arm%d", a), ns: ns, cpus: l.cpus.DUT}, Ports: l.ports[2*a : 2*a+2]}
}

// Only is the lab as if an arm were its only DUT, for those who set one up. It is
// part of the lab, and goes with it.
func (l *Netns) Only(a int) *Netns {
	one := *l
	one.dut, one.ports, one.beside, one.forwarding, one.one = l.home(2*a), l.ports[2*a:2*a+2], nil, new(atomic.Pointer[[]int]), true
	return &one
}

// home is the namespace of a port of a DUT.
func (l *Netns) home(port int) *netif.Namespace {
	if arm := port / 2; arm > 0 && arm <= len(l.beside) {
		return l.beside[arm-1]
	}
	return l.dut
}

// TesterHost is the tester's namespace, as a place to run commands.
func (l *Netns) TesterHost() weir.Host { return nsHost{name: "tester", ns: l.Tester} }

// CPUs says who works where.
func (l *Netns) CPUs() weir.CPUs { return l.cpus }

// Forwarding are the process IDs of the threads in which the DUT forwards; none
// where it does so in softirq.
func (l *Netns) Forwarding() []int {
	if threads := l.forwarding.Load(); threads != nil {
		return *threads
	}
	return nil
}

func (l *Netns) setForwarding(threads []int) { l.forwarding.Store(&threads) }

// Receiving are the process IDs of the threads in which the tester receives.
func (l *Netns) Receiving() []int { return l.receiving }

// Others are the process IDs of the lab's threads that do not forward: those in
// which the tester and the end hosts receive, and in which the DUT takes frames
// from its control link.
func (l *Netns) Others() []int { return slices.Concat(l.receiving, l.managing, l.taking()) }

// Close removes the lab, or leaves a kept one to Down.
func (l *Netns) Close() error {
	if l.Tester != nil {
		l.Tester.Close()
	}
	if l.dut != nil {
		l.dut.Close()
	}
	for _, ns := range l.beside {
		ns.Close()
	}
	for _, e := range l.ends {
		if e.ns != nil {
			e.ns.Close()
		}
	}
	if l.keep {
		l.release()
		return nil
	}
	return l.unregister()
}

// Folder is where programs of the lab may keep files: whoever clears the lab
// away, also after its process was killed, removes them. It is made by the
// first that needs it.
func (l *Netns) Folder() string { return labFolder(l.ID) }

// InDUT runs f on a thread of the DUT's namespace.
func (l *Netns) InDUT(f func() error) error { return l.dut.Do(f) }

// EnterDUT gives the caller a thread of its own in the DUT's namespace, for
// what must not wait for others.
func (l *Netns) EnterDUT() (*netif.Namespace, error) { return netif.OpenNamespace(l.dut.Path()) }
