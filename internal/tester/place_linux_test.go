package tester

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/xdp"
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
	before []weir.Drop // the DUT's counters before the trial that was measured last
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

// counters are the DUT's, of what it drops; none where nobody can look into it.
func (p *place) counters(t *testing.T) []weir.Drop {
	t.Helper()
	if p.lab == nil {
		return nil
	}
	return p.countersAt(t, p.lab.DUT())
}

func (p *place) countersAt(t *testing.T, d weir.DUT) []weir.Drop {
	t.Helper()
	drops, err := p.dut.Drops(t.Context(), d, p.setup)
	if err != nil {
		t.Fatal(err)
	}
	return drops
}

// refused is how many frames found the ring of a port full, since before the trial that
// was measured last: nobody had a CPU to empty it. No other loss is the machine's.
func (p *place) refused(t *testing.T) uint64 {
	t.Helper()
	return inFullRings(dut.Since(p.before, p.counters(t)))
}

func inFullRings(drops []weir.Drop) (n uint64) {
	for _, d := range drops {
		if isFull(d.Place) || strings.HasSuffix(d.Place, "dropped on receipt (rx_dropped)") {
			n += d.Count
		}
	}
	return n
}

func isFull(place string) bool { return strings.Contains(place, " ring full (") }

// awaitAll waits until each frame of a trial has come back, though it be after the trial,
// or was counted where a ring was full. It returns how many did not come back in time.
func (p *place) awaitAll(t *testing.T, r weir.TrialResult) (missed uint64) {
	t.Helper()
	return p.awaitAt(t, r, p.tester.listening(r.Trial))
}

func (p *place) awaitAt(t *testing.T, r weir.TrialResult, receivers []*xdp.Receiver) uint64 {
	t.Helper()
	for _, d := range r.Ledger.Drops {
		if !isFull(d.Place) {
			t.Errorf("%d frames were lost: %s", d.Count, d.Place)
		}
	}
	if p.lab == nil && r.Trial.Maximum {
		return r.Offered - r.Received // a card that has no buffer left drops what no counter of a cable has
	}
	testenv.Await(t, fmt.Sprintf("the %d frames that are missing of %d come back, or are counted where a ring was full", r.Ledger.Unexplained, r.Offered), func() bool {
		var came uint64
		for _, receiver := range receivers {
			n, err := receiver.Count()
			if err != nil {
				t.Fatal(err)
			}
			came += n
		}
		return r.Ledger.Unexplained <= int64(came-r.Received+p.refused(t))
	})
	return r.Offered - r.Received
}

// about reports whether something was counted of the frames that a trial has received.
// Where some came while it was read, it may have them already.
func about(n uint64, r weir.TrialResult) bool {
	return n == r.Received || n > r.Received && int64(n-r.Received) <= r.Ledger.Unexplained
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

// measure performs a trial, anew where none of its frames was sent: then this process had
// no CPU in all of its time.
func (p *place) measure(t *testing.T, trial weir.Trial) (r weir.TrialResult) {
	t.Helper()
	testenv.Await(t, "a frame of a trial leaves", func() bool {
		p.before = p.counters(t)
		var err error
		if r, err = p.tester.Measure(t.Context(), trial); err != nil {
			t.Fatal(err)
		}
		return r.Offered > 0
	})
	return r
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
