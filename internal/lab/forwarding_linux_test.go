package lab

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"golang.org/x/sys/unix"

	"weir"
	"weir/fib"
	"weir/frame"
	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/plan"
)

// stray is how many frames of the stack itself, neighbour discovery, may be dropped as well.
const stray = 5

// none of them; afterwards it does, and everything is as it was.
func TestForwardingByXDP(t *testing.T) {
	for _, pairs := range []int{1, 2} {
		l := openPathLab(t, pairs)
		before := l.state(t)
		for name, traffic := range pathTraffic(pairs) {
			back := l.set(t, weir.ConditionOf(weir.PathXDP))
			threads := l.state(t)
			for k, v := range before {
				if strings.HasPrefix(k, "thread") && threads[k] != v {
					t.Errorf("%s: %s was %s and is %s", name, k, v, threads[k])
				}
			}
			kernel := l.forwarded(t)
			r := l.trial(t, traffic, nil)
			if r.Received != r.Offered || r.Offered != few*uint64(traffic.Ports()) || r.Latency.N != r.Received || len(r.Streams) != traffic.Ports() {
				t.Errorf("%s: latency of %d, %+v", name, r.Latency.N, r.Ledger)
			}
			if n := l.forwarded(t) - kernel; n > 0 {
				t.Errorf("%s: the kernel forwarded %d of %d frames", name, n, r.Received)
			}
			back()
		}
		if after := l.state(t); !maps.Equal(before, after) {
			for k := range after {
				if before[k] != after[k] {
					t.Errorf("%s was %s and is %s", k, before[k], after[k])
				}
			}
		}
		kernel := l.forwarded(t)
		r := l.trial(t, l.plan.Traffic[0], nil)
		if n := l.forwarded(t) - kernel; r.Received == 0 || n < r.Received {
			t.Errorf("back again, the kernel forwarded %d of %d frames", n, r.Received)
		}
		if counts, err := l.wayCounts(); err != nil || counts != nil || len(r.Readings) > 0 {
			t.Errorf("on the kernel's way there are counters: %v, %v, %v", counts, err, r.Readings)
		}
	}
}

// The routes are those of the kernel's table, and what has none is counted by
// the kernel.
func TestXDPLooksRoutesUp(t *testing.T) {
	l := openPathLab(t, 1)
	routes := weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1}
	to, err := fib.Destinations(routes, 1000)
	if err != nil {
		t.Fatal(err)
	}
	traffic := l.plan.Traffic[0]
	traffic.Forward.Destination.First = to[500]
	defer l.set(t, weir.ConditionOf(weir.PathXDP))()
	if r := l.trial(t, traffic, nil); r.Received > 0 || dropped(r, "InNoRoutes") != r.Offered {
		t.Errorf("without a route: %+v", r.Ledger)
	}
	// Learnt while the forwarder runs.
	remove, err := l.install(t.Context(), weir.ConditionOf(routes))
	if err != nil {
		t.Fatal(err)
	}
	kernel := l.forwarded(t)
	if r := l.trial(t, traffic, nil); r.Received != few || l.forwarded(t) != kernel {
		t.Errorf("with a route: %d by the kernel, %+v", l.forwarded(t)-kernel, r.Ledger)
	}
	if err := remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := l.trial(t, traffic, nil); r.Received > 0 || dropped(r, "InNoRoutes") != r.Offered {
		t.Errorf("without the route again: %+v", r.Ledger)
	}
}

// Whatever is lost has a name, also when there is too much of it and while the
// ports go down and come up again. The forwarder outlives that.
func TestXDPAccountsForLoss(t *testing.T) {
	l := openPathLab(t, 1)
	defer l.set(t, weir.ConditionOf(weir.PathXDP))()
	traffic := l.plan.Traffic[0]
	for _, both := range []bool{false, true} {
		traffic.Bidirectional = both
		r := l.trial(t, traffic, overloaded)
		if r.Received == 0 || r.Ledger.Unexplained > 0 || r.Ledger.Unexplained < -stray {
			t.Errorf("both ways %v: offered %d, received %d, %+v", both, r.Offered, r.Received, r.Ledger)
		}
	}
	for _, load := range []float64{2000, 500_000} {
		r := l.trial(t, traffic, func(trial *weir.Trial) {
			trial.Maximum, trial.Count, trial.Intended, trial.Duration = false, 0, load, 200*time.Millisecond
			trial.Event = &weir.Event{Name: "reset interface", After: 50 * time.Millisecond}
		})
		if r.Happened == nil || r.Happened.Error != "" {
			t.Errorf("at %g/s the reset happened as %+v", load, r.Happened)
		}
		kernel := l.forwarded(t)
		if r := l.trial(t, traffic, nil); r.Received == 0 || r.Ledger.Unexplained > 0 || r.Ledger.Unexplained < -stray || l.forwarded(t) != kernel {
			t.Errorf("after the reset: %d by the kernel, %+v", l.forwarded(t)-kernel, r.Ledger)
		}
	}
}

// A driver that takes none of the frames counts them all the same.
func TestXDPToAPortThatIsDown(t *testing.T) {
	l := openPathLab(t, 1)
	defer l.set(t, weir.ConditionOf(weir.PathXDP))()
	if err := l.bed.Tester.Do(func() error { return netif.SetDown(l.bed.DUT().Ports[1].Tester) }); err != nil {
		t.Fatal(err)
	}
	if r := l.trial(t, l.plan.Traffic[0], nil); r.Offered == 0 || dropped(r, "tester port 1") < r.Offered || dropped(r, "tester port 1") > r.Offered+5 { // and neighbour discovery
		t.Errorf("%+v", r.Ledger)
	}
}

// What sockets of the tester send arrives with a whole checksum.
func TestXDPForwardsSockets(t *testing.T) {
	l := openPathLab(t, 1)
	defer l.set(t, weir.ConditionOf(weir.PathXDP))()
	ports := l.bed.DUT().Ports
	if _, err := l.bed.TesterHost().Run(t.Context(), "", "ip", "route", "add", "198.19.77.0/24", "via", "198.18.0.1"); err != nil {
		t.Fatal(err)
	}
	kernel := l.forwarded(t)
	var got *layers.UDP
	err := l.bed.Tester.Do(func() error {
		index, err := netif.Index(ports[1].Tester)
		if err != nil {
			return err
		}
		const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in network order
		tap, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, all)
		if err != nil {
			return err
		}
		defer unix.Close(tap)
		if err := unix.Bind(tap, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}); err != nil {
			return err
		}
		out, err := net.Dial("udp", "198.19.77.7:9")
		if err != nil {
			return err
		}
		defer out.Close()
		if _, err := out.Write([]byte("a datagram")); err != nil {
			return err
		}
		octets := make([]byte, 2000)
		for got == nil {
			n, err := unix.Read(tap, octets)
			if err != nil {
				return fmt.Errorf("wait for the datagram: %w", err)
			}
			packet := gopacket.NewPacket(octets[:n], layers.LayerTypeEthernet, gopacket.Default)
			if u, ok := packet.Layer(layers.LayerTypeUDP).(*layers.UDP); ok && string(u.Payload) == "a datagram" {
				got = u
				if err := u.SetNetworkLayerForChecksum(packet.NetworkLayer()); err != nil {
					return err
				}
				if err, wrong := packet.VerifyChecksums(); err != nil || len(wrong) > 0 {
					return fmt.Errorf("the checksum is wrong: %v %+v in %x", err, wrong, octets[:n])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if n := l.forwarded(t) - kernel; n > 1 { // the first one may wait for the neighbour
		t.Errorf("the kernel forwarded %d", n)
	}
}

// The way goes with every way of taking frames from the ports.
func TestXDPWithNAPI(t *testing.T) {
	l := openPathLab(t, 1)
	for _, way := range []weir.NAPI{weir.Threaded, weir.Softirq, weir.BusyPoll} {
		c := weir.ConditionOf(weir.PathXDP, way)
		if way != weir.Threaded && agent.CanPoll() != nil {
			continue // this kernel does not have them
		}
		undo, err := l.setNAPI(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		back := l.set(t, c)
		kernel := l.forwarded(t)
		if r := l.trial(t, l.plan.Traffic[0], nil); r.Received != few || l.forwarded(t) != kernel {
			t.Errorf("%s: %d by the kernel, %+v", way, l.forwarded(t)-kernel, r.Ledger)
		}
		back()
		if err := undo(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A result says which way its frames went, and is none where they all went the
// other one.
func TestXDPTellsTheWay(t *testing.T) {
	l := openPathLab(t, 1)
	defer l.set(t, weir.ConditionOf(weir.PathXDP))()
	traffic := l.plan.Traffic[0]
	r := l.trial(t, traffic, nil)
	at := slices.IndexFunc(r.Readings, func(r weir.Reading) bool { return r.Name == "port 0 forwarded" })
	if at < 0 {
		t.Fatalf("of %d frames: %+v", r.Received, r.Readings)
	}
	said := r.Readings[at]
	if said.Source != "xdp" || said.Unit != "count" || said.Value < float64(r.Received) || said.Value > float64(r.Offered) {
		t.Errorf("of %d frames, of which %d came back: %+v", r.Offered, r.Received, said)
	}
	traffic = weir.Traffic{Sizes: []weir.Size{128}, Family: weir.IPv6, Protocol: weir.UDP, Flows: 1, Seed: 1,
		Extensions: []weir.Extension{weir.HopByHop}, Extended: 1}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv6)
	_, err := l.measure(t.Context(), weir.Trial{Traffic: traffic, Maximum: true, Count: few, Duration: time.Hour})
	if err == nil || !strings.Contains(err.Error(), "XDP none") {
		t.Errorf("of frames with options: %v", err)
	}
}

// What the way would silently leave out cannot be combined with it.
func TestXDPRefuses(t *testing.T) {
	policed := plan.Plan{}
	policed.DUT.Policer.Kind = "nft"
	for _, c := range []struct {
		plan plan.Plan
		with weir.Condition
		says string
	}{
		{plan.Plan{}, weir.Condition{}, ""},
		{policed, weir.ConditionOf(weir.PathStack, weir.Filters(1), weir.Firewall{Kind: weir.Stateful}), ""},
		{plan.Plan{}, weir.ConditionOf(weir.PathXDP, weir.Threaded), ""},
		{policed, weir.ConditionOf(weir.PathXDP), "before the policer"},
		{plan.Plan{}, weir.ConditionOf(weir.Path("fast")), `no way of forwarding "fast"; there are: kernel, xdp`},
	} {
		err := (&netnsLab{plan: c.plan}).cannotPath(c.with)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.with, err, c.says)
		}
	}
}
