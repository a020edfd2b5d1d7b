package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/campaign"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/snmp"
	"weir/internal/testbed"
	"weir/internal/tester"
	"weir/internal/wiring"
)

// portsLab is a tester at ports of this machine, and a DUT behind them of which
// nothing is known but what comes out of it.
type portsLab struct {
	plan    plan.Plan
	bed     *testbed.Ports
	alive   *wiring.Alive
	said    time.Time     // when the ports that receive said last that they are there
	says    atomic.Int64  // how often they said so since the witness was read before the trial
	witness *snmp.Witness // nil: the plan names none
	machine *machine      // the DUT, of a testbed of kind vm; nil: of another kind
	dut     *reached      // nil: nothing is known of it

	journal *settings.Journal // of what is changed at this machine
}

// openPorts takes the ports, finds out what is behind them, and makes the tester.
func openPorts(ctx context.Context, p plan.Plan) (campaign.Lab, func() error, error) {
	if _, far := p.Testbed.FarHosts(); far {
		return openFar(ctx, p)
	}
	if p.Testbed.Hosted() {
		return openHosted(ctx, p)
	}
	l := &portsLab{plan: p}
	return assembled(ctx, l.assemble)
}

// assemble makes the lab, and notes what undoes it, also of what there is when it
// fails.
func (l *portsLab) assemble(ctx context.Context, undo *settings.Undo) (lab campaign.Lab, err error) {
	if err := NeedLab(); err != nil {
		return lab, err
	}
	if err := l.reachDUT(ctx, undo); err != nil { // before a port is touched
		return lab, err
	}
	if err := l.takePorts(ctx, undo); err != nil {
		return lab, err
	}
	if err := l.openWitness(ctx, undo); err != nil {
		return lab, err
	}
	if err := l.startDUT(ctx, undo); err != nil { // which sets its ports up
		return lab, err
	}
	if err := l.bed.AwaitCarriers(ctx, linkLimit); err != nil {
		return lab, err
	}
	rate, err := l.linkRate()
	if err != nil {
		return lab, err
	}
	if err := l.firstConnect(ctx); err != nil {
		return lab, err
	}
	measure, bypass := weir.Measurer(nil), false
	if _, programs := senders(l.plan); programs {
		measure, err = l.transfers(ctx)
	} else {
		measure, bypass, err = l.tester(ctx, undo)
	}
	if err != nil {
		return lab, err
	}
	manifest, err := l.describe(ctx)
	if err != nil {
		return lab, fmt.Errorf("describe the tester: %w", err)
	}
	return campaign.Lab{
		Measure:  l.whileRunning(measure),
		Manifest: manifest,
		LinkRate: rate,
		CPUs:     l.whoseCPUs(),
		SelfTest: bypass,
		Observe:  l.observe,
		Apply:    l.apply,
		Cannot:   l.cannot,
		Answers:  l.back,
		Holds:    l.holds,
		Announce: l.bed.Announce,
		Events:   l.eventNames(),
		Restart:  l.restart,
	}, nil
}

// takePorts makes the ports the tester's.
func (l *portsLab) takePorts(ctx context.Context, undo *settings.Undo) error {
	p := l.plan
	if err := testbed.Sweep(ctx); err != nil {
		return fmt.Errorf("undo what killed processes left: %w", err)
	}
	if err := l.openJournal(undo); err != nil {
		return err
	}
	_, programs := senders(p)
	config := testbed.PortsConfig{
		Ports: p.Testbed.Ports, Addresses: l.addresses(), CPUs: p.Testbed.CPUs, MTU: mtu(p),
		Isolate: p.Testbed.Isolate, Apart: programs, Uplinks: p.Testbed.AllowDefaultRoute, Journal: l.journal,
		Dark: l.dut != nil,
	}
	if l.machine != nil {
		if err := l.machine.open(p, undo); err != nil {
			return err
		}
		config.Ports, config.Space = l.machine.taps.Names, l.machine.taps.Space
	}
	var err error
	if l.bed, err = testbed.OpenPorts(ctx, config); err != nil {
		return err
	}
	undo.AddClose(l.bed.Close)
	free, err := netif.Confine(append(slices.Clone(l.bed.CPUs().Generator), l.bed.CPUs().Receiver...))
	if err == nil {
		undo.AddClose(free)
	}
	return err
}

// openJournal has what is changed remembered, and this process outlive its readers.
func (l *portsLab) openJournal(undo *settings.Undo) (err error) {
	var leave func() error
	elsewhere := l.plan.DUT.Host != "" || l.plan.Testbed.Hosted()
	if l.journal, leave, err = testbed.OwnJournal(elsewhere); err != nil {
		return err
	}
	undo.AddClose(leave)
	// A pipe that nobody reads any more ends the campaign, and not this process.
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, unix.SIGPIPE)
	undo.AddClose(func() error { signal.Stop(closed); return nil })
	return nil
}

// tester is what sends and receives, and whether it can do so without the DUT.
func (l *portsLab) tester(ctx context.Context, undo *settings.Undo) (measure weir.Measurer, bypass bool, err error) {
	config := tester.XDPConfig{Namespace: l.bed.Tester, Ports: l.bed.TestPorts(), CPUs: l.bed.CPUs(), Verify: true}
	if x := l.executor(); len(x.events) > 0 {
		config.Accompany = x.accompany
	}
	if l.bed.Self != (weir.Port{}) {
		config.Self = &l.bed.Self
	}
	links, err := l.carrierChanges()
	if err != nil {
		return nil, false, err
	}
	t, err := tester.OpenXDP(config) // which takes the links of some drivers down
	if err != nil {
		return nil, false, err
	}
	undo.AddClose(t.Close)
	if l.alive, err = wiring.OpenAlive(l.bed.Tester, l.wired()); err != nil {
		return nil, false, err
	}
	undo.AddClose(l.alive.Close)
	if err := l.bed.Attached(ctx); err != nil {
		return nil, false, err
	}
	return l.whileLinked(l.accounted(l.explained(l.awaited(l.linked(t.Measure))))), config.Self != nil, l.forwardedAgain(ctx, links)
}

// families are those of the plan's frames.
func (l *portsLab) families() (out []weir.Family) {
	for _, t := range l.plan.Traffic {
		for _, f := range []weir.Family{weir.IPv4, weir.IPv6} {
			if (t.Family == f || t.Blend != nil) && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// of are the tester's address at a port, and the router's, in a family.
func of(n plan.Network, f weir.Family) (tester netip.Prefix, router netip.Addr) {
	if f == weir.IPv4 {
		return n.Tester, n.Router
	}
	return n.Tester6, n.Router6
}

// addresses are the tester's, by port, of the families that are sent.
func (l *portsLab) addresses() (out [][]netip.Prefix) {
	for _, n := range l.plan.Testbed.Networks {
		var own []netip.Prefix
		for _, f := range l.families() {
			tester, _ := of(n, f)
			own = append(own, tester)
		}
		out = append(out, own)
	}
	return out
}

// largest is the size of the plan's largest frame, octets.
func (l *portsLab) largest() int {
	most := 0
	for _, t := range l.plan.Traffic {
		for _, size := range t.Sizes { // programs of end hosts have none
			most = max(most, int(size))
		}
	}
	return most
}

// wired are the tester's ports, by name and Ethernet address.
func (l *portsLab) wired() (out []wiring.Port) {
	for _, port := range l.bed.TestPorts() {
		own, _ := net.ParseMAC(port.TesterMAC) // it was read from the port
		out = append(out, wiring.Port{Name: port.Tester, MAC: own})
	}
	return out
}

// tried is the traffic of which some frames are sent before anything is measured: what a box
// forwards that is set by weir is not known before it is.
func (l *portsLab) tried() []weir.Traffic {
	if l.dut != nil || l.machine != nil {
		return nil
	}
	return l.plan.Traffic
}

// connect finds out where frames go, and whether they come through.
func (l *portsLab) connect(ctx context.Context) error {
	for _, f := range l.families() {
		asked := wiring.Asked{Bridge: l.plan.DUT.Layer == 2, Size: l.largest(), Traffic: l.tried()}
		asked.Ports = l.wired()
		for i, n := range l.plan.Testbed.Networks {
			tester, router := of(n, f)
			asked.Ports[i].Tester, asked.Ports[i].Router = tester.Addr(), router
		}
		for i := range asked.Ports {
			router := asked.Ports[i].Router
			if asked.Bridge {
				router = netip.Addr{}
			}
			err := l.bed.Resolve(ctx, i, router)
			if _, programs := senders(l.plan); programs && errors.Is(err, netif.ErrNoAnswer) {
				return fmt.Errorf("nobody answers for %v behind %s: is %s?", router, asked.Ports[i].Name, l.doubt())
			}
			if errors.Is(err, netif.ErrNoAnswer) {
				return asked.Unanswered(ctx, l.bed.Tester, i)
			}
			if err == nil {
				asked.Ports[i].NextHop, err = net.ParseMAC(l.bed.TestPorts()[i].DUTMAC)
			}
			if err == nil {
				err = l.dut.connected(i, l.bed.TestPorts()[i])
			}
			if err != nil {
				return err
			}
		}
		if _, programs := senders(l.plan); programs {
			continue // they prove their path themselves
		}
		if err := asked.Check(ctx, l.bed.Tester); err != nil {
			return err
		}
	}
	return nil
}
