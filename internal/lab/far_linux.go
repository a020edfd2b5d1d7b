package lab

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/remote"
	"weir/internal/settings"
	"weir/internal/testbed"
)

// farLab is a tester at ports of other machines, with what it has in common with one at
// ports of this machine.
type farLab struct {
	portsLab
	far *remote.Tester
}

// openFar has weir's own program take ports at other machines, and makes the tester.
func openFar(ctx context.Context, p plan.Plan) (campaign.Lab, func() error, error) {
	l := &farLab{portsLab: portsLab{plan: p}}
	return assembled(ctx, l.assemble)
}

// assemble makes the lab, and notes what undoes it, also of what there is when it fails.
func (l *farLab) assemble(ctx context.Context, undo *settings.Undo) (lab campaign.Lab, err error) {
	if err := NeedLab(); err != nil {
		return lab, err
	}
	if err := l.reachDUT(ctx, undo); err != nil { // before a port is touched
		return lab, err
	}
	if err := testbed.Sweep(ctx); err != nil {
		return lab, fmt.Errorf("undo what killed processes left: %w", err)
	}
	if err := l.openJournal(undo); err != nil {
		return lab, err
	}
	if err := l.openSides(ctx, undo); err != nil {
		return lab, err
	}
	rate, err := l.linkRate()
	if err != nil {
		return lab, err
	}
	if err := l.openWitness(ctx, undo); err != nil {
		return lab, err
	}
	if l.dut != nil {
		undo.AddClose(l.dut.undo.Close)
		if err := l.dut.begin(ctx, l.far.Ports(), l.journal); err != nil {
			return lab, err
		}
	}
	if err := l.resolve(ctx); err != nil {
		return lab, err
	}
	if err := l.far.Attach(ctx); err != nil {
		return lab, err
	}
	if err := l.comesThrough(ctx); err != nil {
		return lab, err
	}
	manifest, err := l.describe(ctx)
	if err != nil {
		return lab, err
	}
	return campaign.Lab{
		Measure:  l.accounted(l.explained(l.far.Measure)),
		Manifest: manifest,
		LinkRate: rate,
		CPUs:     l.whoseCPUs(),
		SelfTest: l.far.Alone(),
		Observe:  l.observe,
		Apply:    l.apply,
		Cannot:   l.cannot,
		Answers:  l.back,
		Holds:    l.holds,
	}, nil
}

// openSides carries this program to the machines that have the ports, and starts it there.
func (l *farLab) openSides(ctx context.Context, undo *settings.Undo) error {
	names, _ := l.plan.Testbed.FarHosts()
	var config remote.Config
	for i, name := range names {
		if i == 1 && name == names[0] {
			config.Places[1] = config.Places[0]
			continue
		}
		host, err := connect(ctx, name, undo)
		if err != nil {
			return err
		}
		if config.Places[i], err = carried(ctx, host, undo, whole); err != nil {
			return err
		}
	}
	addresses := l.addresses()
	for i := range config.Settings {
		own := remote.Settings{Side: i, MTU: mtu(l.plan), CPUs: l.plan.Testbed.CPUs, Isolate: l.plan.Testbed.Isolate, Uplinks: l.plan.Testbed.AllowDefaultRoute}
		for at := i; at < len(l.plan.Testbed.Ports); at += 2 {
			_, port, _ := plan.FarPort(l.plan.Testbed.Ports[at])
			own.Ports, own.Addresses = append(own.Ports, port), append(own.Addresses, addresses[at])
		}
		config.Settings[i] = own
	}
	var err error
	if l.far, err = remote.Open(ctx, config); err == nil {
		undo.AddClose(l.far.Close)
	}
	return err
}

// resolve finds out where frames go.
func (l *farLab) resolve(ctx context.Context) error {
	for _, f := range l.families() {
		for i, n := range l.plan.Testbed.Networks {
			_, router := of(n, f)
			if l.plan.DUT.Layer == 2 {
				router = netip.Addr{}
			}
			err := l.far.Resolve(ctx, i, router)
			if err == nil {
				err = l.dut.connected(i, l.far.Ports()[i])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// comesThrough sends a few frames, and is an error when none of a direction arrives.
func (l *farLab) comesThrough(ctx context.Context) error {
	const tries, few, slowly = 3, 20, 1000
	for _, t := range l.plan.Traffic {
		if t.Application {
			continue
		}
		var r weir.TrialResult
		for try := range tries {
			var err error
			r, err = l.far.Measure(ctx, weir.Trial{
				Purpose: "wiring", Traffic: t, Intended: slowly, Count: few, Duration: few * time.Second / slowly,
				Waits: weir.Waits{Learning: 100 * time.Millisecond, Residual: 300 * time.Millisecond << try},
			})
			if err != nil {
				return err
			}
			if r.Received > 0 {
				break
			}
		}
		for _, direction := range weir.Directions {
			var sent, received uint64
			for _, s := range r.Streams {
				if s.Direction == direction {
					sent, received = sent+s.Sent, received+s.Received
				}
			}
			if sent > 0 && received == 0 {
				return fmt.Errorf("of %d frames %s (%s, %s to %s) none arrived: is each port connected with the DUT's port that is meant, and does the DUT forward between them?",
					sent, direction, t.Name, l.plan.Testbed.Ports[0], l.plan.Testbed.Ports[1])
			}
		}
	}
	return nil
}

// back waits until frames get through again.
func (l *farLab) back(ctx context.Context) error {
	if err := l.far.AwaitCarriers(ctx, carrierBack); err != nil {
		return err
	}
	for end := time.Now().Add(carrierBack); ; {
		err := l.resolve(ctx) // it may be another box by now
		if err == nil {
			err = l.comesThrough(ctx)
		}
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
	}
}

// accounted adds to a trial what the tester's ports and the witness have counted in it.
func (l *farLab) accounted(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		read := func() ([]netif.PortCounts, error) { return l.far.Counts(context.WithoutCancel(ctx)) }
		return counted(measure, l.far.Ports(), read, l.witnessed)(ctx, trial)
	}
}

// observe says what else ran on the CPUs of both machines during a trial, and what a DUT
// says that has a host.
func (l *farLab) observe(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
	at, err := l.dut.sample(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	before, err := l.far.Load(ctx)
	if err != nil {
		return nil, err
	}
	return func(time.Duration) (seen campaign.Observation, err error) {
		if err := l.dut.since(context.WithoutCancel(ctx), at, &seen); err != nil {
			return seen, err
		}
		after, err := l.far.Load(context.WithoutCancel(ctx))
		seen.Host.Steal, seen.Host.Over = after.Steal-before.Steal, time.Since(began)
		seen.Host.Other = max(0, after.Tasks-before.Tasks-(after.Used-before.Used))
		return seen, err
	}, nil
}

// whoseCPUs are those of the machine that sends forward, and of the one that receives.
func (l *farLab) whoseCPUs() weir.CPUs {
	cpus := weir.CPUs{Generator: l.far.Told(0).CPUs.Generator, Receiver: l.far.Told(1).CPUs.Receiver}
	if l.dut != nil && !l.dut.here {
		cpus.DUT, cpus.Elsewhere = l.dut.cpus, true
	}
	return cpus
}

// linkRate is what the medium carries: what the plan says, or else the ports.
func (l *farLab) linkRate() (float64, error) {
	var all []medium
	for i := range 2 {
		for j, m := range l.far.Told(i).Media {
			all = append(all, medium{l.plan.Testbed.Ports[2*j+i], m})
		}
	}
	return agreed(l.plan.Testbed.Link, all)
}

// describe is the manifest.
func (l *farLab) describe(ctx context.Context) (weir.Manifest, error) {
	first := l.far.Told(0)
	m := weir.Manifest{Kernel: first.Kernel, CPUModel: first.CPUModel, CPUs: first.Count, Platform: plan.Opaque, Backend: "xdp"}
	names, _ := l.plan.Testbed.FarHosts()
	for i, name := range names {
		told := l.far.Told(i)
		say := func(what, value string) {
			m.Settings = append(m.Settings, weir.Setting{Where: "tester", Name: fmt.Sprintf("machine %d %s", i, what), Value: value})
		}
		say("name", name)
		say("kernel", told.Kernel)
		say("CPU", fmt.Sprintf("%d x %s", told.Count, told.CPUModel))
		say("generator CPUs", fmt.Sprint(told.CPUs.Generator)+", nice -20")
		say("receiver CPUs", fmt.Sprint(told.CPUs.Receiver)+", threaded NAPI, real-time priority")
		for _, s := range told.Settings {
			if s.Where != "tester" {
				s.Where, s.Name = "tester", fmt.Sprintf("machine %d %s", i, s.Name)
			}
			m.Settings = append(m.Settings, s)
		}
	}
	m.Settings = append(m.Settings, weir.Setting{Where: "tester", Name: "clocks", Value: l.far.Clocks()})
	for i, port := range l.far.Ports() {
		m.Settings = append(m.Settings, weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d", i), Value: port.DUTMAC})
	}
	m.Settings = append(m.Settings, l.far.Notes()...)
	if l.dut != nil {
		return m, l.dut.describe(ctx, &m)
	}
	return m, nil
}
