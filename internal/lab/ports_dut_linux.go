package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/testbed"
	"weir/internal/wiring"
)

// reachDUT connects with a DUT that has a host.
func (l *portsLab) reachDUT(ctx context.Context, undo *settings.Undo) error {
	if l.plan.DUT.Host == "" {
		return nil
	}
	host, err := dial(ctx, l.plan.DUT.Host, undo)
	if err == nil {
		l.dut, err = reach(ctx, l.plan, host, l.plan.DUT.Ports)
	}
	if err == nil && reboots(l.plan) {
		err = l.dut.canReboot()
	}
	if err == nil {
		err = l.dut.readByAgent(ctx, undo)
	}
	return err
}

// startDUT has a DUT that can be told things forward.
func (l *portsLab) startDUT(ctx context.Context, undo *settings.Undo) error {
	journal := l.journal
	if l.machine != nil {
		host, ports, err := l.machine.boot(ctx, l.plan, l.bed.Left(), undo)
		if err != nil || host == nil {
			return err
		}
		if l.dut, err = reach(ctx, l.plan, host, ports); err != nil {
			return err
		}
		l.dut.machine, journal = l.machine, nil // what is changed there goes with it
		for i, port := range l.bed.TestPorts() {
			l.dut.setup.Behind[i] = l.bed.HostOf(port.Tester)
		}
	}
	if l.dut == nil {
		return nil
	}
	undo.AddClose(l.dut.end)
	return l.dut.begin(ctx, l.bed.TestPorts(), journal)
}

// firstConnect is connect, for a machine that may still be starting, and for switches that
// forward nothing yet: their ports came up when weir took those of this machine.
func (l *portsLab) firstConnect(ctx context.Context) error {
	if l.machine == nil || l.dut != nil {
		return l.spanned(ctx, l.connect(ctx))
	}
	return l.machine.await(ctx, l.connect)
}

// spanned waits for a switch with a spanning tree that was heard where nothing gets through:
// it listens and learns for twice its forward delay behind a link that has come up.
func (l *portsLab) spanned(ctx context.Context, err error) error {
	const spare = 10 * time.Second // for the tree to change, and for a busy switch
	wrong := (*wiring.WrongError)(nil)
	if !errors.As(err, &wrong) || wrong.Delay == 0 {
		return err
	}
	limit := 2*wrong.Delay + spare
	if err = l.through(ctx, limit); !errors.As(err, &wrong) || wrong.Delay == 0 {
		return err
	}
	deed := "weir has taken the ports, so that their links went down"
	if !l.plan.Testbed.Isolate {
		deed = "the links may have gone down when weir began"
	}
	return fmt.Errorf("%w; a switch with a spanning tree is there (forward delay %v), %s, and it was awaited for %v: "+
		"make its ports edge ports (portfast), or leave the ports where they are (testbed: {isolate: no}), and see which of its ports blocks", err, wrong.Delay, deed, limit)
}

// drops are what the DUT's counters say, and how often a machine had no room at a port.
func (l *portsLab) drops(ctx context.Context) (all []weir.Drop, err error) {
	if l.dut != nil {
		if all, err = l.dut.drops(ctx); err != nil {
			return nil, err
		}
	}
	if l.machine == nil {
		return all, nil
	}
	for i, port := range l.bed.TestPorts() {
		err := l.bed.Do(port.Tester, func() error {
			s, err := netif.ReadSent(port.Tester)
			all = append(all, weir.Drop{Place: fmt.Sprintf("dut port %d without room (tx_dropped of the tap device)", i), Count: s.Refused})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// cannot says what of a condition cannot be set at the DUT.
func (l *portsLab) cannot(ctx context.Context, c weir.Condition) error {
	if l.dut != nil {
		return l.dut.cannot(ctx, c)
	}
	return portsCannot(l.plan, c)
}

// holds says why the DUT is no longer as it was set.
func (l *portsLab) holds() error {
	if l.dut == nil {
		return nil
	}
	if why := l.machine.why(); why != nil {
		return why
	}
	return l.dut.lost
}

// whoseCPUs are the tester's, with the DUT's where it has its own.
func (l *portsLab) whoseCPUs() weir.CPUs {
	cpus := l.bed.CPUs()
	if l.machine != nil {
		cpus.DUT = l.bed.Left() // where its own CPUs are, of this machine's
	} else if l.dut != nil && !l.dut.here {
		cpus.DUT, cpus.Elsewhere = l.dut.cpus, true
	}
	return cpus
}

// apply sets the DUT to a condition: one of which nothing is known to the levels that are
// commands of the user's. What is set by hand was
// asked for before.
func (l *portsLab) apply(ctx context.Context, all ...weir.Condition) (func(context.Context) error, error) {
	if len(all) != 1 {
		return nil, portsCannot(l.plan, all[0])
	}
	own := all[0]
	own = slices.DeleteFunc(slices.Clone(own), func(s weir.DUTSetting) bool { t, is := s.(weir.Tuning); return is && t.ByHand() })
	if l.dut != nil {
		return l.dut.apply(ctx, own)
	}
	platform, err := dut.ByName("linux")
	if err != nil {
		return nil, err
	}
	applier, ok := platform.(dut.Applier)
	if !ok {
		return nil, portsCannot(l.plan, own)
	}
	if len(own.Tunings()) == 0 {
		return func(context.Context) error { return nil }, nil
	}
	here, err := testbed.Here()
	if err != nil {
		return nil, err
	}
	return applier.Apply(ctx, weir.DUT{Host: here}, dut.Setup{Journal: l.journal}, own)
}
