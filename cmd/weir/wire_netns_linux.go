package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/campaign"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/telemetry"
	"weir/internal/testbed"
	"weir/internal/tester"
	"weir/internal/xdp"
)

// openNetNS makes a lab of network namespaces, in which this machine's kernel
// forwards.
func openNetNS(ctx context.Context, p campaign.Plan) (campaign.Lab, func() error, error) {
	var undo closers
	fail := func(err error) (campaign.Lab, func() error, error) {
		return campaign.Lab{}, nil, errors.Join(err, undo.close())
	}
	if err := needRoot(); err != nil {
		return fail(err)
	}
	if err := testbed.Sweep(); err != nil {
		return fail(fmt.Errorf("clear away the labs of killed processes: %w", err))
	}
	bed, err := testbed.OpenNetns(testbed.NetnsConfig{CPUs: p.Testbed.CPUs, MTU: mtu(p)})
	if err != nil {
		return fail(err)
	}
	undo.add(bed.Close)
	platform, err := dut.ByName(p.DUT.Platform)
	if err != nil {
		return fail(err)
	}
	// This process has things to do during a trial; the DUT must not feel it.
	free, err := netif.Confine(append(slices.Clone(bed.CPUs().Generator), bed.CPUs().Receiver...))
	if err != nil {
		return fail(err)
	}
	undo.add(free)
	setup := routed(p)
	unroute, err := platform.Forward(ctx, bed.DUT(), setup)
	if err != nil {
		return fail(err)
	}
	undo.add(func() error { return unroute(context.WithoutCancel(ctx)) })
	if err := addressTester(bed); err != nil {
		return fail(err)
	}
	t, err := tester.OpenXDP(tester.XDPConfig{
		Namespace: bed.Tester, Ports: [2]weir.Port(bed.DUT().Ports), Self: &bed.Self, CPUs: bed.CPUs(), Verify: true,
	})
	if err != nil {
		return fail(err)
	}
	undo.add(t.Close)
	manifest, err := describe(ctx, p, bed, platform)
	if err != nil {
		return fail(fmt.Errorf("describe the lab: %w", err))
	}
	return campaign.Lab{
		Measure:  accounted(t.Measure, platform, bed.DUT(), setup),
		Manifest: manifest,
		LinkRate: p.Testbed.Link,
		CPUs:     bed.CPUs(),
		SelfTest: true,
		Observe:  observer(bed),
	}, undo.close, nil
}

// mtu is what the plan's largest frame needs, and no less than Ethernet's.
func mtu(p campaign.Plan) int {
	largest := 1518
	for _, t := range p.Traffic {
		for _, size := range t.Sizes {
			largest = max(largest, int(size))
		}
	}
	return largest - 18
}

// needRoot says what a lab needs, before something fails half-way.
func needRoot() error {
	if os.Geteuid() == 0 {
		return nil
	}
	return &weir.UnsupportedError{
		Feature: "making network namespaces and loading BPF programs (CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_BPF)",
		Remedy:  "run weir as root or through sudo; --testbed sim works without",
	}
}

// closers are undone last first.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

func (c *closers) close() error {
	var err error
	for i := len(*c) - 1; i >= 0; i-- {
		err = errors.Join(err, (*c)[i]())
	}
	*c = nil
	return err
}

// routed is the DUT as a router between the test networks of both families.
func routed(p campaign.Plan) dut.Setup {
	var s dut.Setup
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for i := range 2 {
			network := frame.Network(family, i)
			s.Address[i] = append(s.Address[i], netip.PrefixFrom(frame.RouterAddr(family, i), addressBits(family)))
			s.Neighbor[i] = append(s.Neighbor[i], frame.TesterAddr(family, i))
			s.Route[i] = append(s.Route[i], network)
		}
	}
	if p.DUT.Policer.Kind != "" {
		s.Policer = &dut.Policer{Kind: p.DUT.Policer.Kind, Rate: p.DUT.Policer.Rate, Size: p.Traffic[0].MeanSize()}
	}
	return s
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
		for i, port := range bed.DUT().Ports {
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
func accounted(measure weir.Measurer, platform dut.Platform, d weir.DUT, s dut.Setup) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		before, err := platform.Drops(ctx, d, s)
		if err != nil {
			return weir.TrialResult{}, fmt.Errorf("read the DUT's counters: %w", err)
		}
		r, err := measure(ctx, trial)
		if err != nil || trial.Bypass {
			return r, err
		}
		after, err := platform.Drops(context.WithoutCancel(ctx), d, s)
		if err != nil {
			return r, fmt.Errorf("read the DUT's counters: %w", err)
		}
		was := make(map[string]uint64)
		for _, drop := range before {
			was[drop.Place] = drop.Count
		}
		drops := r.Ledger.Drops
		for _, drop := range after {
			drop.Count -= was[drop.Place]
			drops = append(drops, drop)
		}
		r.Ledger = weir.Balance(r.Offered, r.Received, drops)
		return r, nil
	}
}

// describe is the lab's manifest.
func describe(ctx context.Context, p campaign.Plan, bed *testbed.Netns, platform dut.Platform) (weir.Manifest, error) {
	machine, err := telemetry.ReadMachine(ctx, bed.TesterHost())
	if err != nil {
		return weir.Manifest{}, err
	}
	m := weir.Manifest{
		Kernel: machine.Kernel, CPUModel: machine.CPUModel, CPUs: runtime.NumCPU(),
		Platform: "linux", Backend: "xdp", Settings: machine.Settings,
	}
	if mtu(p)+18 > xdp.MaxFrame {
		m.Backend = "afpacket for large frames, xdp"
	}
	cpus := bed.CPUs()
	m.Settings = append(m.Settings,
		weir.Setting{Where: "lab", Name: "generator CPUs", Value: fmt.Sprint(cpus.Generator) + ", nice -20"},
		weir.Setting{Where: "lab", Name: "receiver CPUs", Value: fmt.Sprint(cpus.Receiver) + ", threaded NAPI, real-time priority"},
		weir.Setting{Where: "lab", Name: "DUT CPUs", Value: fmt.Sprint(cpus.DUT) + ", threaded NAPI, real-time priority"},
	)
	for i, port := range bed.DUT().Ports {
		offloads, err := offloads(bed, port.DUT)
		if err != nil {
			return m, err
		}
		m.Settings = append(m.Settings,
			weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d", i), Value: fmt.Sprintf("veth, %d queues, MTU %d", port.Queues, port.MTU)},
			weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d offloads", i), Value: offloads})
	}
	settings, err := platform.Settings(ctx, bed.DUT())
	m.Settings = append(m.Settings, settings...)
	return m, err
}

// offloads are those of a DUT's port that change what a router does.
func offloads(bed *testbed.Netns, port string) (string, error) {
	var features map[string]bool
	err := bed.InDUT(func() (err error) {
		features, err = netif.Features(port)
		return err
	})
	if err != nil {
		return "", err
	}
	var out []string
	for _, name := range []string{"rx-gro", "rx-lro", "tx-tcp-segmentation", "rx-gro-list", "rx-udp-gro-forwarding", "rx-checksum"} {
		state := "off"
		if features[name] {
			state = "on"
		}
		out = append(out, name+" "+state)
	}
	return strings.Join(out, ", "), nil
}
