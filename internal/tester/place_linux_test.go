package tester

import (
	"net/netip"
	"os"
	"strings"
	"testing"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/testbed"
)

// cabled are two ports of this machine with a cable from one to the other, at which the
// tester's conformance is tested: scripts/test-drivers has them in a machine that is
// emulated. Without them it is tested in a lab.
var cabled = os.Getenv("WEIR_TEST_PORTS")

// native is "yes" where these ports have drivers with XDP: then they have to send live
// frames, and receive in the driver.
var native = os.Getenv("WEIR_TEST_NATIVE")

// largestMTU is "9000" where they carry frames of several buffers.
var largestMTU = os.Getenv("WEIR_TEST_MTU")

// place is a lab with a router in it, or a cable between two ports, and a tester.
type place struct {
	lab    *testbed.Netns // nil: a cable
	tester *XDP
	dut    dut.Platform
	setup  dut.Setup
}

func openPlace(t *testing.T) *place {
	t.Helper()
	return openPairs(t, 1)
}

// openCabled is a place where a cable is what forwards.
func openCabled(t *testing.T, mtu int) *place {
	t.Helper()
	bed, err := testbed.OpenPorts(t.Context(), testbed.PortsConfig{Ports: strings.Split(cabled, ","), MTU: mtu, Isolate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bed.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range bed.TestPorts() {
		if err := bed.Resolve(t.Context(), i, netip.Addr{}); err != nil {
			t.Fatal(err)
		}
	}
	p := &place{}
	p.tester, err = OpenXDP(XDPConfig{Namespace: bed.Tester, Ports: bed.TestPorts(), Self: &bed.Self, CPUs: bed.CPUs(), Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.tester.Close() })
	if err := bed.Attached(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// openPairs is a place with so many pairs of ports.
func openPairs(t *testing.T, n int) *place {
	t.Helper()
	lab, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{MTU: 9000, Pairs: n})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lab.Close() })
	p := &place{lab: lab, setup: router(2 * n)}
	if p.dut, err = dut.ByName("linux"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.dut.Forward(t.Context(), lab.DUT(), p.setup); err != nil {
		t.Fatal(err)
	}
	p.tester, err = OpenXDP(XDPConfig{
		Namespace: lab.Tester, Ports: lab.DUT().Ports, Self: &lab.Self, CPUs: lab.CPUs(), Verify: true, Forwarding: lab.Forwarding,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.tester.Close() })
	return p
}

// router forwards between the test networks, which lie behind the tester's
// addresses on links of their own.
func router(ports int) dut.Setup {
	var s dut.Setup
	for family, bits := range map[weir.Family]int{weir.IPv4: 30, weir.IPv6: 126} {
		for i := range ports {
			s.Address[i] = append(s.Address[i], netip.PrefixFrom(frame.RouterAddr(family, i), bits))
			s.Neighbor[i] = append(s.Neighbor[i], frame.TesterAddr(family, i))
			s.Route[i] = append(s.Route[i], frame.Network(family, i))
		}
	}
	return s
}

// drops are what the DUT's counters say.
func (p *place) drops(t *testing.T) (n uint64) {
	t.Helper()
	drops, err := p.dut.Drops(t.Context(), p.lab.DUT(), p.setup)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range drops {
		n += d.Count
	}
	return n
}

// placeDUT lets the DUT work on these CPUs.
func (p *place) placeDUT(t *testing.T, cpus []int) {
	t.Helper()
	for _, thread := range p.lab.Forwarding() {
		if err := netif.Pin(thread, cpus); err != nil {
			t.Fatal(err)
		}
	}
}

// measure performs a trial, again when the machine was too busy to begin with
// it in time.
func (p *place) measure(t *testing.T, trial weir.Trial) weir.TrialResult {
	t.Helper()
	for range 5 {
		r, err := p.tester.Measure(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		if r.Offered > 0 {
			return r
		}
	}
	t.Fatal("no frame was sent in five trials")
	return weir.TrialResult{}
}

// traffic is 64-octet IPv4 UDP, changed.
func traffic(change func(*weir.Traffic)) weir.Traffic {
	t := weir.Traffic{Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 1}
	if change != nil {
		change(&t)
	}
	t.Forward, t.Reverse = frame.DefaultStreams(t.Family)
	return t
}
