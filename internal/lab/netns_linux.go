package lab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"weir"
	"weir/frame"
	"weir/internal/agent"
	"weir/internal/campaign"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/testbed"
	"weir/internal/tester"
)

// netnsLab is an open lab of network namespaces, in which this machine's kernel
// forwards, and the state that its DUT is in.
type netnsLab struct {
	plan     plan.Plan
	bed      *testbed.Netns
	platform dut.Platform // nil: there is no DUT, and the end hosts are on one cable
	setup    dut.Setup
	routes   *routeTable // of the condition, if the kernel is told of them; nil: none
	daemons  *daemons
	shortcut *shortcut   // of the condition, where frames pass by the kernel's forwarding; nil: they do not
	ends     *ends       // nil: there are none
	line     *accessLine // of the condition, by which an end host is connected; nil: by IP
	arms     []*netnsLab // one for each DUT that stands side by side with others; none where there is one
}

// openNetNS makes a lab of network namespaces, in which this machine's kernel
// forwards.
func openNetNS(ctx context.Context, p plan.Plan) (campaign.Lab, func() error, error) {
	l := &netnsLab{plan: p}
	return assembled(ctx, l.assemble)
}

// assemble makes the lab, and notes what undoes it, also of what there is when
// it fails.
func (l *netnsLab) assemble(ctx context.Context, undo *settings.Undo) (lab campaign.Lab, err error) {
	p := l.plan
	frames, programs := senders(p)
	if err := l.place(ctx, undo); err != nil {
		return lab, err
	}
	if programs {
		l.ends = l.ownEnds()
		if err = l.ends.connect(ctx); err != nil {
			return lab, err
		}
	}
	measure := l.ends.transfer
	var events []string
	if frames {
		if measure, events, err = l.tester(undo); err != nil {
			return lab, err
		}
	}
	manifest, err := describe(ctx, p, l.bed, l.bed.Ends(), l.platform)
	if err != nil {
		return lab, fmt.Errorf("describe the lab: %w", err)
	}
	return campaign.Lab{
		Measure:  l.accounted(measure),
		Manifest: manifest,
		LinkRate: p.Testbed.Link,
		Ring:     netif.VethRing,
		Shared:   manifest.Virtual(),
		CPUs:     l.bed.CPUs(),
		SelfTest: frames,
		Observe:  l.exchanged(ctx, undo, l.observer(programs)),
		Events:   events,
		Probe:    frames,
		Apply:    l.apply,
		Cannot:   l.cannot,
		Holds:    func() error { return errors.Join(l.daemons.alive(), l.setup.Programs.Alive(), l.line.alive()) },
		Announce: l.bed.Announce,
		Diagnose: l.diagnose,
	}, nil
}

// place makes the testbed, with a DUT that forwards.
func (l *netnsLab) place(ctx context.Context, undo *settings.Undo) (err error) {
	p := l.plan
	if err := NeedSpaces(); err != nil {
		return err
	}
	if err := testbed.Sweep(ctx); err != nil {
		return fmt.Errorf("clear away what killed processes left: %w", err)
	}
	_, programs := senders(p)
	config := testbed.NetnsConfig{CPUs: p.Testbed.CPUs, MTU: mtu(p), Pairs: pairs(p), Control: true, Ends: programs}
	if p.Testbed.Arms > 0 {
		config = testbed.NetnsConfig{CPUs: p.Testbed.CPUs, MTU: mtu(p), Arms: p.Testbed.Arms}
	}
	if config.Sends, err = sends(p); err != nil {
		return err
	}
	if cable := p.DUT.Platform == plan.NoDUT; cable {
		config.Cable, config.Control = true, false
	}
	pollers := pollers{}
	if agent.CanPoll() == nil {
		config.Poll = pollers.poll
	}
	bed, err := testbed.OpenNetns(ctx, config)
	if err != nil {
		return err
	}
	undo.AddClose(bed.Close)
	undo.AddClose(pollers.close)
	l.bed, l.daemons = bed, &daemons{bed: bed}
	// This process has things to do during a trial; the DUT must not feel it.
	free, err := netif.Confine(append(slices.Clone(bed.CPUs().Generator), bed.CPUs().Receiver...))
	if err != nil {
		return err
	}
	undo.AddClose(free)
	if config.Cable {
		return nil
	}
	if l.platform, err = dut.ByName(p.DUT.Platform); err != nil {
		return err
	}
	if l.setup, err = routed(p); err != nil {
		return err
	}
	l.setup.CPUs, l.setup.Programs = bed.CPUs().DUT, &dut.Programs{}
	for arm := range p.Testbed.Arms {
		one := *l
		one.bed = bed.Only(arm)
		one.daemons = &daemons{bed: one.bed}
		l.arms = append(l.arms, &one)
	}
	for _, one := range l.duts() {
		unroute, err := l.platform.Forward(ctx, one.bed.DUT(), l.setup)
		if err != nil {
			return err
		}
		if len(l.arms) == 0 { // those side by side go with their namespaces, whatever a command has done to them
			undo.Add(unroute)
		}
	}
	if err := l.routeCaptures(ctx, undo); err != nil {
		return fmt.Errorf("routes to where the frames of a capture go: %w", err)
	}
	if len(l.arms) > 0 {
		return nil // all of them have the same networks: no address of the tester's would be of one
	}
	return addressTester(bed)
}

// duts are the lab as each of its DUTs sees it: as if there were no other.
func (l *netnsLab) duts() []*netnsLab {
	if len(l.arms) > 0 {
		return l.arms
	}
	return []*netnsLab{l}
}

// drops are what the counters of each DUT say.
func (l *netnsLab) drops(ctx context.Context) (all [][]weir.Drop, err error) {
	if l.platform == nil {
		return [][]weir.Drop{nil}, nil
	}
	for _, one := range l.duts() {
		some, err := l.platform.Drops(ctx, one.bed.DUT(), one.setup)
		if err != nil {
			return nil, fmt.Errorf("read the DUT's counters: %w", err)
		}
		all = append(all, some)
	}
	return all, nil
}

// tester is what sends test frames, and the events that there may be meanwhile.
func (l *netnsLab) tester(undo *settings.Undo) (measure weir.Measurer, events []string, err error) {
	bed := l.bed
	executor, err := l.executor(undo)
	if err != nil {
		return nil, nil, err
	}
	prober := &prober{bed: bed}
	undo.AddClose(prober.close)
	t, err := tester.OpenXDP(tester.XDPConfig{
		Namespace: bed.Tester, Ports: bed.TestPorts(), Self: &bed.Self, CPUs: bed.CPUs(), Verify: true,
		Forwarding: bed.Forwarding, Sessions: l.carried,
		Accompany: together(profiled(bed), executor.accompany, prober.accompany, l.daemons.accompany, idle(bed)),
	})
	if err != nil {
		return nil, nil, err
	}
	undo.AddClose(t.Close)
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Transfer != nil {
			return l.ends.transfer(ctx, trial)
		}
		return t.Measure(ctx, trial)
	}, executor.names(), nil
}

// senders says who sends in the trials of a plan: the tester, with test frames,
// or programs of end hosts.
func senders(p plan.Plan) (frames, programs bool) {
	for _, t := range p.Traffic {
		frames, programs = frames || !t.Application, programs || t.Application
	}
	return frames, programs
}

// mtu is what the plan's largest frame needs, and no less than Ethernet's.
func mtu(p plan.Plan) int {
	largest := 1518
	for _, t := range p.Traffic {
		for _, size := range t.Sizes {
			largest = max(largest, int(size))
		}
	}
	return largest - 18
}

// pairs is how many pairs of ports the plan's traffic has at most: none where
// programs of end hosts alone send.
func pairs(p plan.Plan) int {
	most := 1
	if _, programs := senders(p); programs {
		most = 0
	}
	for _, t := range p.Traffic {
		if !t.Application {
			most = max(most, t.Pairs, 1)
		}
	}
	return most
}

// dutPorts is how many ports the DUT has, those of end hosts included.
func dutPorts(p plan.Plan) int {
	n := 2 * pairs(p)
	if _, programs := senders(p); programs {
		n += 2
	}
	return n
}

// routed is the DUT as a router between the test networks of both families.
func routed(p plan.Plan) (dut.Setup, error) {
	var s dut.Setup
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for i := range dutPorts(p) {
			if !frame.Network(family, i).IsValid() || i >= dut.MaxPorts {
				return s, fmt.Errorf("there is no test network for port %d: take fewer pairs of ports than %d", i, pairs(p))
			}
			s.Address[i] = append(s.Address[i], netip.PrefixFrom(frame.RouterAddr(family, i), addressBits(family)))
			s.Neighbor[i] = append(s.Neighbor[i], frame.TesterAddr(family, i))
			s.Route[i] = append(s.Route[i], frame.Networks(family, i)...)
		}
	}
	if p.DUT.Policer.Kind != "" {
		s.Policer = &dut.Policer{Kind: p.DUT.Policer.Kind, Rate: p.DUT.Policer.Rate, Size: p.Traffic[0].MeanSize()}
	}
	return s, nil
}

// addressBits is the prefix length of the DUT's own link: small, so that the
// rest of the test network lies behind the tester and needs no neighbour entry
// for each address.
func addressBits(family weir.Family) int {
	if family == weir.IPv4 {
		return 30
	}
	return 126
}

// addressTester gives the tester's ports addresses, so that ping and ARP work.
func addressTester(bed *testbed.Netns) error {
	return bed.Tester.Do(func() error {
		for i, port := range bed.TestPorts() {
			for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
				a := netip.PrefixFrom(frame.TesterAddr(family, i), addressBits(family))
				if err := netif.AddAddress(port.Tester, a.String()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// accounted adds what the DUT's counters say to the ledger of each trial.
func (l *netnsLab) accounted(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		before, err := l.drops(ctx)
		if err != nil {
			return weir.TrialResult{}, err
		}
		way, err := l.wayCounts()
		if err != nil {
			return weir.TrialResult{}, err
		}
		carried, err := l.line.counts(ctx)
		if err != nil {
			return weir.TrialResult{}, err
		}
		full, err := l.line.fullDevice(ctx)
		if err != nil {
			return weir.TrialResult{}, err
		}
		r, err := measure(ctx, trial)
		if err != nil || trial.Bypass {
			return r, err
		}
		if err := l.setup.Programs.Alive(); err != nil {
			return r, err
		}
		after, err := l.drops(context.WithoutCancel(ctx))
		if err != nil {
			return r, err
		}
		drops, own := r.Ledger.Drops, make([][]weir.Drop, len(after))
		for i := range after {
			own[i] = dut.Since(before[i], after[i])
			drops = weir.AddDrops(drops, own[i])
		}
		line, err := l.line.counts(context.WithoutCancel(ctx))
		if err != nil {
			return r, err
		}
		filled, err := l.line.fullDevice(context.WithoutCancel(ctx))
		if err != nil {
			return r, err
		}
		drops = append(drops, l.line.lost(carried, line, filled-full)...)
		r.Ledger, r.Arms = weir.Balance(r.Offered, r.Received, drops), r.OfArms(own)
		if trial.Transfer != nil && r.Offered == 0 {
			r.Ledger.Unexplained = 0 // nobody counted the frames of a program
		}
		return r, errors.Join(l.line.tell(&r, carried, line), l.tellWay(&r, way))
	}
}
