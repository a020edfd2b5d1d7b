package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/campaign"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/snmp"
	"weir/internal/telemetry"
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

	journal *settings.Journal // of what is changed at this machine
}

// openPorts takes the ports, finds out what is behind them, and makes the tester.
func openPorts(ctx context.Context, p plan.Plan) (campaign.Lab, func() error, error) {
	l := &portsLab{plan: p}
	var undo settings.Undo
	lab, err := l.assemble(ctx, &undo)
	if err != nil {
		return campaign.Lab{}, nil, errors.Join(err, undo.Close())
	}
	return lab, undo.Close, nil
}

// assemble makes the lab, and notes what undoes it, also of what there is when it
// fails.
func (l *portsLab) assemble(ctx context.Context, undo *settings.Undo) (lab campaign.Lab, err error) {
	if err := l.takePorts(ctx, undo); err != nil {
		return lab, err
	}
	if err := l.openWitness(ctx, undo); err != nil {
		return lab, err
	}
	if err := l.connect(ctx); err != nil {
		return lab, err
	}
	measure, bypass, err := l.tester(ctx, undo)
	if err != nil {
		return lab, err
	}
	manifest, err := l.describe(ctx)
	if err != nil {
		return lab, fmt.Errorf("describe the tester: %w", err)
	}
	rate, err := l.linkRate()
	if err != nil {
		return lab, err
	}
	return campaign.Lab{
		Measure:  measure,
		Manifest: manifest,
		LinkRate: rate,
		CPUs:     l.bed.CPUs(),
		SelfTest: bypass,
		Observe:  l.observe,
		Apply:    l.apply,
		Cannot:   portsCannot,
		Answers:  l.back,
		Announce: l.bed.Announce,
	}, nil
}

// takePorts makes the ports the tester's.
func (l *portsLab) takePorts(ctx context.Context, undo *settings.Undo) error {
	p := l.plan
	if err := NeedRoot(); err != nil {
		return err
	}
	if err := testbed.Sweep(ctx); err != nil {
		return fmt.Errorf("undo what killed processes left: %w", err)
	}
	var leave func() error
	var err error
	if l.journal, leave, err = testbed.OwnJournal(); err != nil {
		return err
	}
	undo.AddClose(leave)
	// A pipe that nobody reads any more ends the campaign, and not this process.
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, unix.SIGPIPE)
	undo.AddClose(func() error { signal.Stop(closed); return nil })
	l.bed, err = testbed.OpenPorts(ctx, testbed.PortsConfig{
		Ports: p.Testbed.Ports, Addresses: l.addresses(), CPUs: p.Testbed.CPUs, MTU: mtu(p),
		Isolate: p.Testbed.Isolate, Uplinks: p.Testbed.AllowDefaultRoute, Journal: l.journal,
	})
	if err != nil {
		return err
	}
	undo.AddClose(l.bed.Close)
	free, err := netif.Confine(append(slices.Clone(l.bed.CPUs().Generator), l.bed.CPUs().Receiver...))
	if err == nil {
		undo.AddClose(free)
	}
	return err
}

// tester is what sends and receives, and whether it can do so without the DUT.
func (l *portsLab) tester(ctx context.Context, undo *settings.Undo) (measure weir.Measurer, bypass bool, err error) {
	config := tester.XDPConfig{Namespace: l.bed.Tester, Ports: l.bed.TestPorts(), CPUs: l.bed.CPUs(), Verify: true}
	if l.bed.Self != (weir.Port{}) {
		config.Self = &l.bed.Self
	}
	t, err := tester.OpenXDP(config)
	if err != nil {
		return nil, false, err
	}
	undo.AddClose(t.Close)
	if l.alive, err = wiring.OpenAlive(l.bed.Tester, l.wired()); err != nil {
		return nil, false, err
	}
	undo.AddClose(l.alive.Close)
	return l.whileLinked(l.accounted(l.linked(t.Measure))), config.Self != nil, l.bed.Attached(ctx)
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
		most = max(most, int(slices.Max(t.Sizes)))
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

// connect finds out where frames go, and whether they come through.
func (l *portsLab) connect(ctx context.Context) error {
	for _, f := range l.families() {
		asked := wiring.Asked{Bridge: l.plan.DUT.Layer == 2, Size: l.largest()}
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
			if errors.Is(err, netif.ErrNoAnswer) {
				return asked.Unanswered(ctx, l.bed.Tester, i)
			}
			if err == nil {
				asked.Ports[i].NextHop, err = net.ParseMAC(l.bed.TestPorts()[i].DUTMAC)
			}
			if err != nil {
				return err
			}
		}
		if err := asked.Check(ctx, l.bed.Tester); err != nil {
			return err
		}
	}
	return nil
}

// linkRate is what the medium carries: what the plan says, or else the ports, which
// then have to be alike.
func (l *portsLab) linkRate() (rate float64, err error) {
	if rate = l.plan.Testbed.Link; rate > 0 {
		return rate, nil
	}
	for _, port := range l.bed.TestPorts() {
		_ = l.bed.Tester.Do(func() error { // none says nothing
			own := netif.Speed(port.Tester)
			if own > 0 && rate > 0 && own != rate {
				err = fmt.Errorf("port %s has %g Mbit/s and another one %g Mbit/s: give both ends of the cables the same, or say which one counts (testbed: {link: %gM})",
					port.Tester, own/1e6, rate/1e6, min(own, rate)/1e6)
			}
			rate = max(own, rate)
			return nil
		})
	}
	return rate, err
}

// describe is the manifest.
func (l *portsLab) describe(ctx context.Context) (weir.Manifest, error) {
	machine, err := telemetry.ReadMachine(ctx, l.bed.TesterHost())
	if err != nil {
		return weir.Manifest{}, err
	}
	cpus := l.bed.CPUs()
	m := weir.Manifest{
		Kernel: machine.Kernel, CPUModel: machine.CPUModel, CPUs: runtime.NumCPU(),
		Platform: plan.Opaque, Backend: "xdp",
		Settings: append(machine.Settings,
			weir.Setting{Where: "tester", Name: "generator CPUs", Value: fmt.Sprint(cpus.Generator) + ", nice -20"},
			weir.Setting{Where: "tester", Name: "receiver CPUs", Value: fmt.Sprint(cpus.Receiver) + ", threaded NAPI, real-time priority"}),
	}
	for i, port := range l.bed.TestPorts() {
		f, err := l.port(i)
		if err != nil {
			return m, err
		}
		var counters string
		if err := l.bed.Tester.Do(func() (err error) { counters, err = netif.CountersOf(port.Tester); return err }); err != nil {
			return m, err
		}
		m.Settings = append(m.Settings,
			weir.Setting{Where: "tester", Name: fmt.Sprintf("port %d", i), Value: f.Found},
			weir.Setting{Where: "tester", Name: fmt.Sprintf("port %d counters", i), Value: counters},
			weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d", i), Value: port.DUTMAC})
	}
	m.Settings = append(m.Settings, l.bed.Notes()...)
	return m, nil
}

// observe says what else ran on the tester's CPUs during a trial. What the DUT did
// nobody knows.
func (l *portsLab) observe(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
	host := l.bed.TesterHost()
	own := l.bed.CPUs()
	mine := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(own.Generator), own.Receiver...))))
	sample := func(ctx context.Context) (t telemetry.CPUTime, used time.Duration, err error) {
		if t, err = telemetry.ReadCPUs(ctx, host, mine); err != nil {
			return t, 0, err
		}
		var usage unix.Rusage
		err = unix.Getrusage(unix.RUSAGE_SELF, &usage)
		threads, other := telemetry.ReadThreads(ctx, host, l.bed.Receiving())
		used = time.Duration(usage.Utime.Nano()) + time.Duration(usage.Stime.Nano())
		for _, d := range threads {
			used += d
		}
		return t, used, errors.Join(err, other)
	}
	began := time.Now()
	before, used, err := sample(ctx)
	if err != nil {
		return nil, err
	}
	return func(time.Duration) (seen campaign.Observation, err error) {
		after, since, err := sample(context.WithoutCancel(ctx))
		seen.Host.Steal, seen.Host.Over = after.Steal-before.Steal, time.Since(began)
		seen.Host.Other = max(0, after.Tasks-before.Tasks-(since-used))
		return seen, err
	}, nil
}

// apply sets the levels that are commands of the user's. What is set by hand was
// asked for before.
func (l *portsLab) apply(ctx context.Context, all ...weir.Condition) (func(context.Context) error, error) {
	platform, err := dut.ByName("linux")
	if err != nil {
		return nil, err
	}
	applier, ok := platform.(dut.Applier)
	if !ok || len(all) != 1 {
		return nil, portsCannot(ctx, all[0])
	}
	own := all[0]
	own.Tunings = slices.DeleteFunc(slices.Clone(own.Tunings), weir.Tuning.ByHand)
	if len(own.Tunings) == 0 {
		return func(context.Context) error { return nil }, nil
	}
	here, err := testbed.Here()
	if err != nil {
		return nil, err
	}
	return applier.Apply(ctx, weir.DUT{Host: here}, dut.Setup{Journal: l.journal}, own)
}
