package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/ssh"
	"weir/internal/telemetry"
	"weir/internal/testbed"
)

// hostedLab is a lab whose end hosts SSH reaches, with what it has in common with one whose
// end hosts are at ports of this machine. Nothing of this machine is on the path.
type hostedLab struct {
	portsLab
	at   [2]*hostedEnd
	ends ends
}

// openHosted reaches the end hosts and connects them.
func openHosted(ctx context.Context, p plan.Plan) (campaign.Lab, func() error, error) {
	l := &hostedLab{portsLab: portsLab{plan: p}, ends: ends{plan: p}}
	return assembled(ctx, l.assemble)
}

// assemble makes the lab, and notes what undoes it, also of what there is when it fails.
func (l *hostedLab) assemble(ctx context.Context, undo *settings.Undo) (lab campaign.Lab, err error) {
	if err := NeedLab(); err != nil {
		return lab, err
	}
	near, far := l.plan.Testbed.Hosts[0].Host, l.plan.Testbed.Hosts[1].Host
	if ssh.Same(ctx, near, far) { // the second would wait for the first, which has locked it
		return lab, fmt.Errorf("%s and %s are one host: what it sends to itself leaves it through no port", near, far)
	}
	for _, end := range []string{near, far} { // likewise
		if own := l.plan.DUT.Host; own != "" && ssh.Same(ctx, own, end) {
			return lab, fmt.Errorf("the DUT %s and the end host %s are one machine: an end host has to be a machine of its own", own, end)
		}
	}
	if err := l.reachDUT(ctx, undo); err != nil {
		return lab, err
	}
	for i := range l.at { // before anything is changed at one of them
		if l.at[i], err = reachEnd(ctx, l.plan, i, undo); err != nil {
			return lab, err
		}
	}
	if err := l.together(); err != nil {
		return lab, err
	}
	if l.at[0].space == l.at[1].space {
		return lab, fmt.Errorf("%s and %s are one host: what it sends to itself leaves it through no port", l.at[0].Host, l.at[1].Host)
	}
	if err := testbed.Sweep(ctx); err != nil {
		return lab, fmt.Errorf("undo what killed processes left: %w", err)
	}
	if err := l.openJournal(undo); err != nil {
		return lab, err
	}
	if err := l.connectEnds(ctx, undo); err != nil {
		return lab, err
	}
	manifest, err := l.describe(ctx)
	if err != nil {
		return lab, fmt.Errorf("describe the end hosts: %w", err)
	}
	return campaign.Lab{
		Measure:  l.explained(l.ends.transfer),
		Manifest: manifest,
		LinkRate: l.plan.Testbed.Link,
		CPUs:     l.whoseCPUs(),
		Observe:  l.observe,
		Apply:    l.apply,
		Cannot:   l.cannot,
		Answers:  func(ctx context.Context) error { return l.prove(ctx, mtu(l.plan)) },
		Holds:    l.holds,
	}, nil
}

// connectEnds gives the end hosts what they need on the path, has a DUT that can be told
// things forward, and proves that packets get from one to the other.
func (l *hostedLab) connectEnds(ctx context.Context, undo *settings.Undo) error {
	var ports []weir.Port
	for i, e := range l.at {
		undo.AddClose(e.undo.Close)
		e.undo.Journal = l.journal
		links := map[weir.Family]endLink{}
		for _, f := range l.families() {
			links[f] = l.endLink(i, f)
		}
		if err := e.setUp(ctx, l.plan, links); err != nil {
			return fmt.Errorf("set %s up: %w", e.Name, err)
		}
		l.ends.path.Ends[i] = e.end
		if e.station == nil { // of others it is not read how busy they are
			l.ends.on = append(l.ends.on, cpusOf{e.host, e.cpus})
		}
		own := e.dut.Ports[0]
		ports = append(ports, weir.Port{Tester: own.DUT, TesterMAC: own.DUTMAC})
	}
	if l.dut != nil {
		undo.AddClose(l.dut.undo.Close)
		if err := l.dut.begin(ctx, ports, l.journal); err != nil {
			return err
		}
	}
	return l.prove(ctx, mtu(l.plan))
}

// endLink is that of an end host, which gets no more routes than it needs.
func (l *hostedLab) endLink(end int, f weir.Family) endLink {
	link := l.portsLab.endLink(end, f)
	link.behind = link.behind[:1]
	return link
}

// prove proves that packets of a size get through whole, in each family of the plan.
func (l *hostedLab) prove(ctx context.Context, size int) error {
	for _, f := range l.families() {
		if err := l.ends.path.ProveMTU(ctx, f, size); err != nil {
			return l.unproven(err)
		}
	}
	return nil
}

// whoseCPUs are the DUT's, where it has its own: those of the end hosts are of no interest to
// this machine.
func (l *hostedLab) whoseCPUs() (cpus weir.CPUs) {
	if l.dut != nil && !l.dut.here {
		cpus.DUT, cpus.Elsewhere = l.dut.cpus, true
	}
	return cpus
}

// describe is the manifest: of the first end host, and then of what the other one and the DUT
// are.
func (l *hostedLab) describe(ctx context.Context) (weir.Manifest, error) {
	m := weir.Manifest{
		Platform: plan.Opaque, CPUs: len(l.at[0].cpus),
		Backend: endHosts + " " + l.at[0].Name + " and " + l.at[1].Name,
	}
	if l.plan.DUT.Platform == plan.NoDUT {
		m.Platform = plan.NoDUT
	}
	for i, e := range l.at {
		machine, err := e.machine(ctx)
		if err != nil {
			return m, err
		}
		if i == 0 {
			m.Kernel, m.CPUModel = machine.Kernel, machine.CPUModel
		}
		own, err := e.describe(ctx, machine)
		if err != nil {
			return m, err
		}
		m.Settings = append(m.Settings, own...)
	}
	if l.dut != nil {
		return m, l.dut.describe(ctx, &m)
	}
	return m, nil
}

// apply sets the DUT to a condition, and the MTU of the end hosts, which is proved then.
func (l *hostedLab) apply(ctx context.Context, all ...weir.Condition) (func(context.Context) error, error) {
	own, size := slices.Clone(all), all[0].MTU()
	if l.dut == nil { // there are no ports but those of the end hosts
		own[0].Put(weir.Tuning{Name: weir.MTUTuning})
	}
	back, err := l.portsLab.apply(ctx, own...)
	if err != nil || size == 0 {
		return back, err
	}
	undo := settings.Undo{Journal: l.journal}
	undo.Add(back)
	for _, e := range l.at {
		var now string
		if now, err = undo.Set(ctx, e.host, e.portMTU(), fmt.Sprint(size)); err == nil && now != fmt.Sprint(size) {
			err = fmt.Errorf("it stays at %s", now)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("set the MTU of %s to %d: %w", e.Name, size, err), undo.Run(context.WithoutCancel(ctx)))
		}
	}
	if err := l.prove(ctx, size); err != nil {
		return nil, errors.Join(err, undo.Run(context.WithoutCancel(ctx)))
	}
	return undo.Run, nil
}

// observe says what a DUT says that has a host, and what the hypervisors of the end hosts
// gave to others.
func (l *hostedLab) observe(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
	at, err := l.dut.sample(ctx)
	if err != nil {
		return nil, err
	}
	before, err := l.steal(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	return func(time.Duration) (seen campaign.Observation, err error) {
		ctx := context.WithoutCancel(ctx)
		after, err := l.steal(ctx)
		seen.Host.Steal, seen.Host.Over = after-before, time.Since(began)
		return seen, errors.Join(err, l.dut.since(ctx, at, &seen))
	}, nil
}

// steal is what the hypervisors of the end hosts have given to others.
func (l *hostedLab) steal(ctx context.Context) (all time.Duration, err error) {
	for _, o := range l.ends.on {
		t, err := telemetry.ReadCPUs(ctx, o.host, o.cpus)
		if err != nil {
			return 0, err
		}
		all += t.Steal
	}
	return all, nil
}
