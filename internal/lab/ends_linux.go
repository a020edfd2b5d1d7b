package lab

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/agent"
	"weir/internal/method"
	"weir/internal/plan"
	"weir/internal/telemetry"
	"weir/internal/testbed"
	"weir/internal/workload"
)

// endsBed is a testbed with end hosts at two sides of its DUT.
type endsBed interface {
	TesterHost() weir.Host
	Ends() []*testbed.EndHost
	Folders(*testbed.EndHost) map[weir.Storage]string
}

// ends are the end hosts of a lab, and the path between them.
type ends struct {
	plan plan.Plan
	bed  endsBed // of end hosts in namespaces
	link func(end int, f weir.Family) endLink
	hold bool // whether what they send is held to the rate of the plan: no medium does that
	path workload.Path
	on   []cpusOf   // where their programs run
	ways [2]endWays // by which packets leave them
}

// cpusOf are CPUs of a machine.
type cpusOf struct {
	host weir.Host
	cpus []int
}

// endWays are the ways by which packets leave an end host.
type endWays struct {
	device string // its port, or what holds that to a rate
	batch  string // what ip(8) was told that set them
	routes string // attributes of the routes
}

// endLink is how an end host is connected, in a family.
type endLink struct {
	own    netip.Prefix
	router netip.Addr
	behind []netip.Prefix // the networks that the router leads to; without a router, the other end host
}

// toward is a route as ip(8) has it, without its device.
func (l endLink) toward(network netip.Prefix) string {
	if network.Addr() == l.router { // it is at the other end of the cable
		return network.String()
	}
	return network.String() + " via " + l.router.String()
}

// connect gives the end hosts their addresses and routes, holds their links
// to the rate of the plan, and finds the path between them.
func (l *ends) connect(ctx context.Context) error {
	p := &l.path
	congestion, err := congestion(ctx, l.plan, l.bed.TesterHost())
	if err != nil {
		return err
	}
	own := cpusOf{host: l.bed.TesterHost()}
	for i, e := range l.bed.Ends() {
		host := e.Host()
		end := workload.End{
			Host: host, CPUs: e.CPUs(), Port: e.Port.Tester,
			Address: map[weir.Family]netip.Addr{}, Folders: l.bed.Folders(e),
		}
		device, err := l.holdLink(ctx, host, e.Port)
		if err != nil {
			return err
		}
		var batch strings.Builder
		for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
			link := l.link(i, family)
			end.Address[family] = link.own.Addr()
			// The router's address is known for good: questions for it would be
			// counted among the frames of a transfer.
			fmt.Fprintf(&batch, "address replace %s dev %s%s\n", link.own, device, noDAD(family))
			fmt.Fprintf(&batch, "neighbor replace %s lladdr %s dev %s nud permanent\n", link.router, e.Port.DUTMAC, device)
			for _, network := range link.behind {
				fmt.Fprintf(&batch, "route replace %s dev %s%s\n", link.toward(network), device, congestion)
			}
		}
		l.ways[i] = endWays{device, batch.String(), congestion}
		if _, err := host.Run(ctx, batch.String(), "ip", "-batch", "-"); err != nil {
			return fmt.Errorf("give the end hosts their addresses: %w", err)
		}
		if err := endSysctls(l.plan, func(name, value string) error { return host.WriteFile(ctx, sysctlFile(name), value) }); err != nil {
			return err
		}
		p.Ends[i] = end
		own.cpus = append(own.cpus, e.CPUs()...)
	}
	slices.Sort(own.cpus)
	own.cpus = slices.Compact(own.cpus)
	l.on = []cpusOf{own}
	return nil
}

// ownEnds are the end hosts of a lab of namespaces, which have ports of the DUT behind
// those of the tester.
func (l *netnsLab) ownEnds() *ends {
	first := len(l.bed.TestPorts())
	e := &ends{plan: l.plan, bed: l.bed, hold: l.plan.Testbed.Link > 0, link: func(end int, f weir.Family) endLink {
		return endLink{netip.PrefixFrom(frame.TesterAddr(f, first+end), addressBits(f)), frame.RouterAddr(f, first+end), frame.Networks(f, first+1-end)}
	}}
	if l.plan.DUT.Platform == plan.NoDUT {
		e.link = cableLink
	}
	return e
}

// cableLink is how an end host is connected that is on one cable with the other one: at
// nodes 2 and 3 of the first network for benchmarks.
func cableLink(end int, f weir.Family) endLink {
	first := frame.TesterAddr(f, 0)
	at := [2]netip.Addr{first, first.Next()}
	return endLink{netip.PrefixFrom(at[end], frame.Network(f, 0).Bits()), at[1-end], []netip.Prefix{host(at[1-end])}}
}

// lineEnd is an end host as an end of an access line: what it reaches otherwise by its port
// it reaches by the session then.
func (l *ends) lineEnd(e *testbed.EndHost, end int) lineEnd {
	out := lineEnd{
		name: e.Host().Name(), place: agent.Place{Host: e.Host(), CPUs: e.CPUs()}, port: l.ways[end].device, driver: e.Port.Tester,
		own: map[weir.Family]netip.Addr{}, routes: l.ways[end].routes, plain: l.ways[end].batch,
	}
	for _, f := range []weir.Family{weir.IPv4, weir.IPv6} {
		link := l.link(end, f)
		out.own[f] = link.own.Addr()
		out.behind = append(out.behind, link.behind...)
		if peer := host(link.router); !slices.Contains(link.behind, peer) {
			out.behind = append(out.behind, peer)
		}
	}
	return out
}

// usualCongestion is what TCP of the end hosts does unless the plan says
// otherwise: what most kernels do (RFC 9438), whatever this one is set to.
const usualCongestion = "cubic"

// congestion is the attribute of an end host's routes that says how TCP holds
// back. Its sysctl takes only what the machine lets everybody use.
func congestion(ctx context.Context, p plan.Plan, h weir.Host) (string, error) {
	known, err := h.ReadFile(ctx, sysctlFile("net.ipv4.tcp_available_congestion_control"))
	if err != nil {
		return "", fmt.Errorf("ask for the congestion controls of the kernel of %s: %w", h.Name(), err)
	}
	wanted := ""
	for _, t := range p.Testbed.Ends {
		if t.Name == plan.Congestion {
			wanted = t.Value
		}
	}
	has := func(name string) bool { return slices.Contains(strings.Fields(known), name) }
	switch {
	case wanted == "" && has(usualCongestion):
		return " congctl " + usualCongestion, nil
	case wanted == "":
		return "", nil
	case !has(wanted):
		return "", fmt.Errorf("the kernel of %s has no congestion control %q; it has: %s", h.Name(), wanted, strings.TrimSpace(known))
	}
	return " congctl " + wanted, nil
}

// endSysctls has each sysctl set that the plan has for end hosts.
func endSysctls(p plan.Plan, set func(name, value string) error) error {
	for _, t := range p.Testbed.Ends {
		_, name, is := strings.Cut(t.Name, " ")
		if !is { // plan.Congestion, which is of routes
			continue
		}
		if err := set(name, t.Value); err != nil {
			return fmt.Errorf("set %s of the end hosts to %q: %w", name, t.Value, err)
		}
	}
	return nil
}

// sysctlFile is the file of a sysctl. A network namespace has its own of those
// below net, and the others are the machine's, which are not for weir to set.
func sysctlFile(name string) string {
	return "/proc/sys/" + strings.ReplaceAll(name, ".", "/")
}

// noDAD has an IPv6 address be used at once.
func noDAD(f weir.Family) string {
	if f == weir.IPv6 {
		return " nodad"
	}
	return ""
}

// What a frame of a transfer takes of a link beside the octets that the kernel
// counts, which are those of its Ethernet header and its packet: the FCS, and
// preamble and gap (IEEE 802.3, 20 octets).
const linkOverhead = 4 + 20

const (
	heldLink = "held" // the device of an end host's queue
	// What leaves back to back after a pause is worth linkBurst of the link, within
	// bounds: with less than a few jumbo frames, or a few milliseconds, a timer that
	// is late takes a part of the rate; and with more than a virtual link's ring
	// holds, frames would be lost in it.
	linkBurst  = 5 * time.Millisecond
	leastBurst = 4 * (9000 + 18) // octets
	mostBurst  = 125_000         // octets: 81 frames at an MTU of 1500
	linkQueue  = 4 << 20         // octets that an end host queues for its link; a socket holds back before
)

// holdLink holds what an end host sends to the rate that the plan gives the
// links, and returns the device that it sends through. The other direction of
// each link is held by the one who sends through the DUT to it.
//
// Each frame counts with all that it takes of a link, so sockets have to send
// frames: what they send as one piece, to be cut up later, counts once.
//
// The queue is that of a bridge with the port as its only one. A virtual link
// that has a queue itself is stopped when the ring at its other end is full, and
// from Linux 6.16 on of several rings only the first starts it again, unless an XDP
// program was there once; one without loses what does not fit, as a wire does.
func (l *ends) holdLink(ctx context.Context, h weir.Host, port weir.Port) (device string, err error) {
	rate := l.plan.Testbed.Link
	if !l.hold {
		return port.Tester, nil
	}
	burst := min(max(rate/8*linkBurst.Seconds(), leastBurst), mostBurst)
	for _, command := range [][]string{
		{"ip", "link", "add", heldLink, "address", port.TesterMAC, "type", "bridge"},
		{"ip", "link", "set", "dev", heldLink, "gso_max_segs", "1", "up"},
		{"ip", "link", "set", "dev", port.Tester, "master", heldLink},
		{"tc", "qdisc", "add", "dev", heldLink, "root", "tbf", "rate", fmt.Sprintf("%.0fbit", rate),
			"burst", fmt.Sprintf("%.0f", burst), "limit", fmt.Sprint(linkQueue), "overhead", fmt.Sprint(linkOverhead)},
	} {
		if _, err := h.Run(ctx, "", command...); err != nil {
			return "", fmt.Errorf("hold the links to %.0f bit/s (Debian package iproute2): %w", rate, err)
		}
	}
	return heldLink, nil
}

// wholePayload is how large a datagram may be, in octets, that is one packet with
// the headers of either family at an MTU of 1500.
const wholePayload = 1500 - 40 - 8

// endHosts is the tester of transfers.
const endHosts = "end hosts"

// transfer performs a trial in which programs of the end hosts talk.
func (l *ends) transfer(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
	r := weir.TrialResult{Trial: t, Start: time.Now(), Backend: endHosts}
	share, idle := 1., error(nil)
	path := l.path
	path.Moving = func() (done func()) {
		left, err := l.idle(ctx)
		if err != nil {
			idle = err
			return func() {}
		}
		return func() { share, idle = left() }
	}
	found, err := path.Run(ctx, t)
	if err != nil {
		return r, &method.TransferError{Err: err}
	}
	r.Transferred, r.Sending = &found, max(found.Took, t.Duration)
	if t.Transfer.Files > 0 {
		r.Sending = found.Took
	}
	countDatagrams(&r)
	err = idle
	full := linkFull * l.plan.Testbed.Link * float64(t.Traffic.Ports())
	between := l.plan.DUT.Platform != weir.NoDUT // of two hosts on a cable it is they who are measured
	if err == nil && between && share < leastIdle && !(full > 0 && found.Goodput() > full) {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.TesterLimited, "the CPUs of the end hosts were busy for %.0f %% of the time: the limit may be theirs, and the DUT do more; give them more CPUs (testbed.cpus), or hold the links (testbed.link)", 100*(1-share)))
	}
	return r, err
}

// linkFull is the share of a held link that is its limit and nobody else's, when
// so much of it is payload: at an MTU of 1500 all of it is 94 %.
const linkFull = 0.92

// leastIdle is the share of their CPUs that end hosts have left at least when
// they are not the limit of a transfer.
const leastIdle = 0.05

// idle samples the CPUs of the end hosts; left is the share of them that was
// not used from then on, of the busiest machine.
func (l *ends) idle(ctx context.Context) (left func() (float64, error), err error) {
	before := make([]telemetry.CPUTime, len(l.on))
	for i, o := range l.on {
		if before[i], err = telemetry.ReadCPUs(ctx, o.host, o.cpus); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	return func() (float64, error) {
		least := 1.
		for i, o := range l.on {
			after, err := telemetry.ReadCPUs(context.WithoutCancel(ctx), o.host, o.cpus)
			if err != nil {
				return 0, err
			}
			least = min(least, (after.Idle-before[i].Idle).Seconds()/(time.Since(began).Seconds()*float64(len(o.cpus))))
		}
		return least, nil
	}, nil
}

// countDatagrams takes the numbers of datagrams from a transfer of weir's own
// program, of which each is a frame unless the plan makes them larger.
func countDatagrams(r *weir.TrialResult) {
	if t := r.Trial.Transfer; t.Program != string(weir.UDP) || t.Payload > wholePayload {
		return
	}
	for _, f := range r.Transferred.Figures {
		switch f.Name {
		case weir.DatagramsSent:
			r.Offered = uint64(f.Value)
		case weir.DatagramsReceived:
			r.Received = uint64(f.Value)
		case weir.DatagramsDropped:
			if f.Value > 0 {
				r.Ledger.Drops = append(r.Ledger.Drops, weir.Drop{Place: "tester socket of the receiving end host", Count: uint64(f.Value), Kind: weir.DropTester})
			}
		}
	}
}
