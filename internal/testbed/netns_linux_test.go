package testbed

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/netif"
	"weir/internal/testenv"
)

func open(t *testing.T, c NetnsConfig) *Netns {
	t.Helper()
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", t.TempDir())
	lab, err := OpenNetns(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
	})
	return lab
}

// how is the scheduling of each thread, and what it is called.
func how(t *testing.T, pids []int) (policies []uint32, names []string) {
	t.Helper()
	for _, pid := range pids {
		attr, err := unix.SchedGetAttr(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, attr.Policy)
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, string(comm))
	}
	return slices.Compact(policies), names
}

// What the kernel sends by itself from the tester's ports would be in no trial's
// count, and in the DUT's counters. By then it has looked for routers from a link that
// is made later and as usual.
func TestTestPortsAreSilent(t *testing.T) {
	lab := open(t, NetnsConfig{Pairs: 1})
	other := place(t)
	if err := netif.Veth(netif.End{Namespace: other.ns, Name: "a"}, netif.End{Namespace: other.ns, Name: "b"}, 1, 1500); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the kernel looks for routers from another link", func() bool {
		said, err := other.ReadFile(t.Context(), "/proc/net/snmp6")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(said) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == "Icmp6OutRouterSolicits" {
				return f[1] != "0"
			}
		}
		return false
	})
	for _, p := range lab.DUT().Ports {
		said, err := lab.TesterHost().ReadFile(t.Context(), "/sys/class/net/"+p.Tester+"/statistics/tx_packets")
		if err != nil || strings.TrimSpace(said) != "0" {
			t.Errorf("the kernel has sent %s frames from port %s: %v", strings.TrimSpace(said), p.Tester, err)
		}
	}
}

func TestPairs(t *testing.T) {
	lab := open(t, NetnsConfig{Pairs: 2})
	ports := lab.DUT().Ports
	if len(ports) != 4 {
		t.Fatalf("%d ports, want 4", len(ports))
	}
	seen := make(map[string]bool)
	for i, p := range ports {
		if !strings.HasSuffix(p.DUT, fmt.Sprintf("d%d", i)) || seen[p.DUTMAC] || seen[p.TesterMAC] {
			t.Errorf("port %d is %+v", i, p)
		}
		seen[p.DUTMAC], seen[p.TesterMAC] = true, true
		if _, err := lab.DUT().Host.ReadFile(t.Context(), "/sys/class/net/"+p.DUT+"/address"); err != nil {
			t.Error(err)
		}
	}
	if n := len(lab.Forwarding()); n != 4*ports[0].Queues {
		t.Errorf("%d threads forward, want one for each of %d queues of 4 ports", n, ports[0].Queues)
	}
}

// What a host says of its network is what its own namespace says.
func TestHostProcNet(t *testing.T) {
	lab := open(t, NetnsConfig{})
	text, err := lab.DUT().Host.ReadFile(t.Context(), "/proc/net/dev")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, lab.DUT().Ports[0].DUT+":") || strings.Contains(text, lab.Self.DUT) {
		t.Errorf("the DUT has these interfaces:\n%s", text)
	}
}

func TestControl(t *testing.T) {
	testenv.NeedTool(t, "ping")
	lab := open(t, NetnsConfig{Control: true})
	testenv.Await(t, "the DUT answers", func() bool {
		_, err := lab.TesterHost().Run(t.Context(), "", "ping", "-c", "1", "-W", "60", ControlDUT.Addr().String())
		return err == nil
	})
	policies, _ := how(t, lab.managing)
	if !slices.Equal(policies, []uint32{unix.SCHED_NORMAL}) {
		t.Errorf("the control port's threads have policies %v, want ordinary ones", policies)
	}
}

// A queueing discipline at the control link goes on when the ring at the other end was full.
func TestControlGoesOn(t *testing.T) {
	testenv.NeedTool(t, "tc")
	lab := open(t, NetnsConfig{Control: true})
	tc := func(argv ...string) string {
		out, err := lab.TesterHost().Run(t.Context(), "", append([]string{"tc"}, argv...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	tc("qdisc", "add", "dev", lab.Control.Tester, "root", "pfifo", "limit", "20000")
	waiting := func() bool { return !strings.Contains(tc("-s", "qdisc", "show", "dev", lab.Control.Tester), " 0p ") }
	const flows, frames = 16, 1000
	var to [flows]net.Conn
	err := lab.Tester.Do(func() (err error) {
		for i := range to {
			if to[i], err = net.Dial("udp", fmt.Sprintf("%v:%d", ControlDUT.Addr(), 9000+i)); err == nil {
				_, err = to[i].Write([]byte("where are you"))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the DUT has answered for its address", func() bool { return !waiting() })
	testenv.Await(t, "the ring is full while the DUT's end has no CPU", func() bool {
		cpu := lab.cpus.DUT[0]
		for _, thread := range lab.managing {
			if err := netif.Pin(thread, []int{cpu}); err != nil {
				t.Fatal(err)
			}
		}
		release := occupy(t, cpu)
		defer release()
		for i := range frames {
			to[i%flows].Write([]byte("x")) // its port at the DUT is closed
		}
		return waiting()
	})
	testenv.Await(t, "all is sent", func() bool { return !waiting() })
}

// occupy leaves a CPU to no thread with an ordinary priority, for less than a second or until it
// is released: the kernel gives the others a twentieth of each second.
func occupy(t *testing.T, cpu int) (release func()) {
	t.Helper()
	var over atomic.Bool
	begun, done := make(chan error), make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with its priority
		err := netif.Pin(0, []int{cpu})
		if err == nil {
			err = netif.PreferToAll()
		}
		begun <- err
		for end := time.Now().Add(800 * time.Millisecond); !over.Load() && time.Now().Before(end); {
		}
	}()
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	return func() { over.Store(true); <-done }
}

func TestSetNAPI(t *testing.T) {
	lab := open(t, NetnsConfig{})
	asMade := func() {
		t.Helper()
		policies, names := how(t, lab.Forwarding())
		if !slices.Equal(policies, []uint32{unix.SCHED_RR}) || len(names) != 2*lab.DUT().Ports[0].Queues {
			t.Errorf("%v have policies %v, want real-time threads", names, policies)
		}
	}
	read := func(file string) string {
		t.Helper()
		text, err := lab.DUT().Host.ReadFile(t.Context(), "/sys/class/net/"+lab.DUT().Ports[1].DUT+"/"+file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(text)
	}
	asMade()
	before := read("queues/rx-0/rps_cpus")

	undo, err := lab.SetNAPI(weir.Softirq)
	if err != nil {
		t.Fatal(err)
	}
	if read("threaded") != "0" || strings.Trim(read("queues/rx-0/rps_cpus"), "0,") == "" || len(lab.Forwarding()) > 0 {
		t.Errorf("threaded %s, steered to %s, threads %v", read("threaded"), read("queues/rx-0/rps_cpus"), lab.Forwarding())
	}
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if read("threaded") != "1" || read("queues/rx-0/rps_cpus") != before {
		t.Errorf("undone: threaded %s, steered to %s", read("threaded"), read("queues/rx-0/rps_cpus"))
	}
	asMade()

	if undo, err = lab.SetNAPI(weir.Threaded); err != nil {
		t.Fatal(err)
	}
	if policies, _ := how(t, lab.Forwarding()); !slices.Equal(policies, []uint32{unix.SCHED_NORMAL}) {
		t.Errorf("the threads have policies %v, want ordinary ones", policies)
	}
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	asMade()

	if _, err := lab.SetNAPI(weir.BusyPoll); !errors.As(err, new(*weir.UnsupportedError)) {
		t.Errorf("busy polling without a poller: %v", err)
	}
	asMade()
	if _, err := lab.SetNAPI("interrupts"); err == nil {
		t.Error("a mode that nobody knows was set")
	}
}

// A poller is told which NAPI instances have frames from the tester, and the
// ports are set so that nobody else runs them.
func TestPoller(t *testing.T) {
	var napis []uint32
	var pause time.Duration
	lab := open(t, NetnsConfig{Poll: func(_ weir.Host, cpus []int, ids []uint32, between time.Duration) ([]int, error) {
		napis, pause = ids, between
		return cpus, nil // as if these were threads
	}})
	ports := lab.DUT().Ports
	settings := func() (out []string) {
		t.Helper()
		for _, file := range []string{"threaded", "napi_defer_hard_irqs", "gro_flush_timeout"} {
			text, err := lab.DUT().Host.ReadFile(t.Context(), "/sys/class/net/"+ports[1].DUT+"/"+file)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, strings.TrimSpace(text))
		}
		return out
	}
	asMade := settings()
	if err := lab.InDUT(lab.ResetPorts); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		way        weir.NAPI
		settings   []string
		forwarding []int
		spins      bool
	}{
		{weir.Softirq, []string{"0", "2147483647", "50000"}, nil, false},
		{weir.BusyPoll, []string{"0", "2147483647", "20000000"}, lab.CPUs().DUT, true},
	} {
		undo, err := lab.SetNAPI(c.way)
		if err != nil {
			t.Fatal(err)
		}
		if len(napis) != len(ports)*len(lab.CPUs().Generator) || slices.Contains(napis, 0) || (pause == 0) != c.spins {
			t.Errorf("%s: NAPI instances %v of %d ports are polled every %v", c.way, napis, len(ports), pause)
		}
		if diff := cmp.Diff(c.settings, settings()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.way, diff)
		}
		if !slices.Equal(lab.Forwarding(), c.forwarding) {
			t.Errorf("%s: threads %v forward, want %v", c.way, lab.Forwarding(), c.forwarding)
		}
		before := napis
		if err := lab.InDUT(lab.ResetPorts); err != nil || len(napis) != len(before) || napis[0] == before[0] {
			t.Errorf("%s: after a reset %v are polled, before it %v: %v", c.way, napis, before, err)
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asMade, settings()); diff != "" || len(napis) > 0 {
			t.Errorf("%s undone: %v are polled (-want +got):\n%s", c.way, napis, diff)
		}
	}
}

// Others see which campaign is measured in a lab, until that is over.
func TestLabsAnnounceTheirCampaign(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", t.TempDir())
	lab, err := OpenNetns(t.Context(), NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	if err := lab.Announce(t.Context(), "20260102-0304-abcd"); err != nil {
		t.Fatal(err)
	}
	labs, err := Labs()
	if err != nil || len(labs) != 1 || labs[0].Campaign != "20260102-0304-abcd" || !labs[0].Running {
		t.Errorf("labs %+v, %v", labs, err)
	}
	if err := lab.Close(); err != nil {
		t.Error(err)
	}
	if labs, err := Labs(); err != nil || len(labs) != 0 {
		t.Errorf("labs %+v, %v", labs, err)
	}
}
