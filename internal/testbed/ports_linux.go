package testbed

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
)

// PortsConfig says which ports of this machine a tester has.
type PortsConfig struct {
	Ports     []string         // pairs: by name, Ethernet address or PCI address
	Addresses [][]netip.Prefix // of the tester at each port; none: it has none
	CPUs      weir.CPUs        // empty sets are filled in
	MTU       int              // that the frames need
	Isolate   bool             // the ports have a namespace of their own meanwhile
	Apart     bool             // those of each side have one: they are end hosts, whose programs send
	Space     *netif.Namespace // the ports are there, and nobody else's; nil: they are in the calling thread's
	Uplinks   bool             // also ports that lead to the networks that this machine lives on
	Dark      bool             // their links are not waited for: the other ends may be down yet
	Journal   *settings.Journal
}

// Ports are a tester at ports of this machine. What is behind them is not weir's.
type Ports struct {
	Tester *netif.Namespace
	Self   weir.Port // a link of the tester to itself; the zero Port where there is none

	id       string
	ports    []weir.Port
	serving  []int          // threads in which the tester receives
	notes    []weir.Setting // how the ports are set
	cpus     weir.CPUs
	local    bool // whether the other ends of all ports are on this machine
	anywhere bool // whether nobody has said on which CPUs the tester receives
	session  netif.Autogroup
	folders  folders // of its end hosts' files
	undo     settings.Undo
	places   map[string]portPlace // of each port
	ends     []*EndHost
}

// carrierWait is how long a link may take to come up: copper negotiates for seconds.
const carrierWait = 10 * time.Second

// OpenPorts takes ports of the calling thread's namespace for a tester. All that is
// changed of them is in the journal before, and Close undoes it.
func OpenPorts(ctx context.Context, c PortsConfig) (*Ports, error) {
	p := &Ports{id: newID(), undo: settings.Undo{Journal: c.Journal}, places: map[string]portPlace{}}
	take := func() error { return p.take(ctx, c) }
	if c.Space != nil {
		within := take
		take = func() error { return c.Space.Do(within) }
	}
	if err := take(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Ports) take(ctx context.Context, c PortsConfig) error {
	names, err := p.own(c)
	if err != nil {
		return err
	}
	p.anywhere = len(c.CPUs.Receiver) == 0
	if p.cpus, err = p.place(c.CPUs); err != nil {
		return err
	}
	if err := p.enrol(ctx); err != nil {
		return err
	}
	if err := p.remember(ctx, names); err != nil {
		return err
	}
	if err := p.home(ctx, c, names); err != nil {
		return err
	}
	for i, name := range names {
		if err := p.prepare(ctx, c, i, name); err != nil {
			return fmt.Errorf("port %s: %w", name, err)
		}
	}
	if c.Apart {
		if err := p.addEnds(ctx); err != nil {
			return err
		}
	}
	if c.Dark {
		return nil
	}
	return p.AwaitCarriers(ctx, carrierWait)
}

// place says who runs where. A DUT behind virtual ports is on this machine, and has
// CPUs that the tester keeps away from, as in a lab that weir makes.
func (p *Ports) place(want weir.CPUs) (weir.CPUs, error) {
	n := runtime.NumCPU()
	if p.local || len(want.DUT) > 0 {
		return PlaceCPUs(n, want)
	}
	if len(want.Generator) == 0 {
		want.Generator = []int{0}
	}
	if len(want.Receiver) == 0 {
		for c := range n {
			if !slices.Contains(want.Generator, c) {
				want.Receiver = append(want.Receiver, c)
			}
		}
	}
	if len(want.Receiver) == 0 {
		want.Receiver = want.Generator
	}
	placed, err := PlaceCPUs(n, want)
	placed.DUT = nil
	return placed, err
}

// home has the ports where they are while they are the tester's.
func (p *Ports) home(ctx context.Context, c PortsConfig, names []string) error {
	if c.Space != nil {
		return p.alone(c, names)
	}
	here, err := Here()
	if err != nil {
		return err
	}
	if !c.Isolate {
		if p.Tester, err = netif.CurrentNamespace(); err != nil {
			return err
		}
		p.undo.AddClose(func() error { p.Tester.Close(); return nil })
		for _, name := range names {
			if err := p.mark(ctx, here, name, nil, "", ""); err != nil {
				return err
			}
			p.places[name] = portPlace{p.Tester, here}
		}
		return nil
	}
	return p.moveAway(ctx, c, here, names)
}

// moveAway has the ports in namespaces of their own.
func (p *Ports) moveAway(ctx context.Context, c PortsConfig, here weir.Host, names []string) error {
	back := keptName(p.id, "home")
	spaces := []string{keptName(p.id, "ports")}
	if c.Apart {
		spaces = []string{keptName(p.id, endNames[0]), keptName(p.id, endNames[1])}
	}
	var own []portPlace
	var hosts []string
	for _, space := range spaces {
		one, err := p.space(ctx, here, space)
		if err != nil {
			return err
		}
		own, hosts = append(own, one), append(hosts, one.host.Name())
	}
	p.Tester = own[0].ns
	home, err := netif.CurrentNamespace()
	if err != nil {
		return err
	}
	defer home.Close()
	if err := p.keep(ctx, here, back, home, hosts...); err != nil {
		return err
	}
	wait := settings.Command{Argv: []string{"sh", "-c", netif.Settled(names)}}
	if err := p.undo.Try(ctx, here, settings.Command{Argv: []string{"true"}}, wait); err != nil {
		return err
	}
	for i, name := range slices.Backward(names) { // the first comes back first
		lines, err := netif.Forgotten(ctx, here, name)
		if err != nil {
			return err
		}
		// The last is undone first: the port comes back, and is then told what it was.
		again := settings.Command{Argv: []string{"sh"}, Stdin: lines, If: settings.Present{settings.Link(name)}}
		if err := p.undo.Try(ctx, here, settings.Command{Argv: []string{"true"}}, again); err != nil {
			return err
		}
		to := i % len(spaces)
		if err := p.mark(ctx, here, name, &own[to], spaces[to], back); err != nil {
			return err
		}
		p.places[name] = own[to]
	}
	if c.Apart {
		return nil
	}
	return p.loop(c.MTU)
}

// loop makes the tester's link to itself, which goes with its namespace.
func (p *Ports) loop(mtu int) error {
	self := weir.Port{
		Tester: p.ownLinks() + "s0", TesterMAC: mac(0xbb, 0), DUT: p.ownLinks() + "s1", DUTMAC: mac(0xbb, 1),
		MTU: max(1500, mtu), Queues: runtime.NumCPU(),
	}
	if err := join(p.Tester, self, p.Tester); err != nil {
		return err
	}
	err := p.Tester.Do(func() error {
		threads, err := netif.ThreadNAPI(self.DUT, p.cpus.Receiver)
		if err != nil {
			return err
		}
		return netif.Prefer(threads)
	})
	p.Self = self
	return err
}

// prepare sets a port up, with the tester's addresses.
func (p *Ports) prepare(ctx context.Context, c PortsConfig, i int, name string) error {
	if err := p.enlarge(ctx, i, name); err != nil {
		return err
	}
	// A receiver has to see each frame as it came; some drivers turn this off with XDP,
	// and do not turn it on again.
	if _, err := p.undo.Set(ctx, p.of(name).host, settings.Setting{Kind: settings.Feature, Device: name, Name: "large-receive-offload"}, "off"); err != nil {
		return err
	}
	read := func() (port netif.Port, err error) {
		err = p.of(name).ns.Do(func() (err error) { port, err = netif.ReadPort(name); return err })
		return port, err
	}
	port, err := read()
	if err != nil {
		return err
	}
	if !port.Up {
		if err := p.undo.Do(ctx, p.of(name).host, ip("link", "set", "dev", name, "up"), ofPort(ip("link", "set", "dev", name, "down"), settings.Link(name))); err != nil {
			return err
		}
	}
	// It is up when its MTU changes, and when that is undone: vmxnet3 fits its rings to the
	// MTU only then, and gets them back after that.
	if _, err := p.set(ctx, settings.Setting{Kind: settings.MTU, Device: name}, name, c.MTU); err != nil {
		return fmt.Errorf("frames of this plan need an MTU of %d: %w; use smaller frames, or another port", c.MTU, err)
	}
	if port, err = read(); err != nil {
		return err
	}
	if err := p.spread(ctx, i, name); err != nil {
		return err
	}
	if !c.Apart { // programs of end hosts send as their host has it
		err := p.of(name).ns.Do(func() error { return netif.SuspendSegmentation(ctx, &p.undo, p.of(name).host, name) })
		if err != nil {
			return err
		}
	}
	p.ports = append(p.ports, weir.Port{Tester: name, TesterMAC: port.Address.String(), MTU: port.MTU})
	if c.Space == nil && !c.Isolate { // its own namespace would do this for all ports (furnish)
		ignore := settings.Setting{Kind: settings.File, Name: "/proc/sys/net/ipv4/conf/" + name + "/arp_ignore"}
		if _, err := p.set(ctx, ignore, name, 1); err != nil {
			return fmt.Errorf("keep it from answering for the addresses of others: %w", err)
		}
	}
	if i >= len(c.Addresses) {
		return nil
	}
	for _, a := range c.Addresses[i] {
		there := false
		if err := p.of(name).ns.Do(func() (err error) { there, err = netif.HasAddress(name, a); return err }); err != nil || there {
			if err != nil {
				return err
			}
			continue
		}
		// It is known that nobody else has it, where it matters: the probes find out.
		if err := p.undo.Do(ctx, p.of(name).host, ip("address", "add", a.String(), "dev", name, "nodad"),
			ofPort(ip("address", "delete", a.String(), "dev", name), settings.Link(name))); err != nil {
			return err
		}
	}
	return nil
}

// set raises a number of a port that is too small.
func (p *Ports) set(ctx context.Context, s settings.Setting, port string, least int) (string, error) {
	now, err := s.Get(ctx, p.of(port).host)
	if err != nil {
		return "", err
	}
	var is int
	if _, err := fmt.Sscan(now, &is); err != nil || is >= least {
		return now, err
	}
	return p.undo.Set(ctx, p.of(port).host, s, fmt.Sprint(least))
}

// AwaitCarriers waits until all ports have a carrier. Time in which this process had no CPU
// is not counted: it gives up after as many looks as fit into the limit.
func (p *Ports) AwaitCarriers(ctx context.Context, limit time.Duration) error {
	const pause = 20 * time.Millisecond
	for left := limit / pause; ; left-- {
		var err error
		for _, port := range p.ports {
			if err = p.of(port.Tester).ns.Do(func() error { return netif.AwaitCarrier(port.Tester, 0) }); err != nil {
				break
			}
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case left <= 0:
			return fmt.Errorf("%w, for %v: is its cable plugged in, and the port at the other end up?", err, limit)
		}
		time.Sleep(pause)
	}
}

// ofPort is a command about a port that may be gone by then, as these questions tell.
func ofPort(c settings.Command, asked ...settings.Presence) settings.Command {
	c.If = asked
	return c
}

func ip(args ...string) settings.Command {
	return settings.Command{Argv: append([]string{"ip"}, args...)}
}

// TestPorts are the tester's ports.
func (p *Ports) TestPorts() []weir.Port { return p.ports }

// Receiving are the process IDs of the threads in which the tester receives.
func (p *Ports) Receiving() []int { return p.serving }

// CPUs says who works where; those of the DUT are not known.
func (p *Ports) CPUs() weir.CPUs {
	return weir.CPUs{Generator: p.cpus.Generator, Receiver: p.cpus.Receiver}
}

// Left are the CPUs that the tester keeps away from, for a DUT on this machine.
func (p *Ports) Left() []int { return p.cpus.DUT }

// TesterHost is the tester's namespace, as a place to run commands.
func (p *Ports) TesterHost() weir.Host { return nsHost{name: "tester", ns: p.Tester} }

// enrol lets others know of the tester, and lets the session of this process go
// first.
func (p *Ports) enrol(ctx context.Context) error {
	release, err := hold(p.id)
	if err != nil {
		return err
	}
	p.undo.AddClose(func() error { release(); return nil })
	unlock, err := lockRegistry(ctx)
	defer unlock()
	if err != nil {
		return err
	}
	if p.session, err = sessionBefore(p.id); err != nil {
		return err
	}
	if err := p.entry().write(); err != nil {
		return err
	}
	p.undo.AddClose(func() error { return remove(context.Background(), p.entry()) })
	return p.session.Prefer()
}

func (p *Ports) entry() Entry {
	return Entry{ID: p.id, PID: os.Getpid(), Process: process, Made: time.Now(), Ports: p.ports, CPUs: p.cpus, Session: p.session, Folders: p.folders}
}

// Announce lets others know which campaign is measured.
func (p *Ports) Announce(ctx context.Context, campaign string) error {
	e := p.entry()
	e.Campaign = campaign
	return e.renew(ctx)
}

// Close gives the ports back as they were.
func (p *Ports) Close() error { return p.undo.Close() }
