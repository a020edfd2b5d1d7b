//go:build linux

package lab

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/fib"
	"weir/internal/dut"
	"weir/internal/plan"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// router is a lab whose DUT forwards, without a tester that sends.
func router(t *testing.T) *netnsLab {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "bird", "birdc", "snmpd", "ip")
	t.Setenv("WEIR_RUN", t.TempDir())
	bed, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{Control: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bed.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &netnsLab{bed: bed, daemons: &daemons{bed: bed}}
	if l.platform, err = dut.ByName("linux"); err != nil {
		t.Fatal(err)
	}
	if l.setup, err = routed(plan.Plan{}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.platform.Forward(t.Context(), bed.DUT(), l.setup); err != nil {
		t.Fatal(err)
	}
	if err := addressTester(bed); err != nil {
		t.Fatal(err)
	}
	return l
}

// beside performs what accompanies a trial that sends nothing, and during meanwhile.
func beside(t *testing.T, begin hook, trial weir.Trial, during func()) weir.TrialResult {
	t.Helper()
	finish, err := begin(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	during()
	r := weir.TrialResult{Trial: trial}
	finish(&r)
	return r
}

// received is how many of something the DUT's kernel has received: of a line of /proc/net/snmp
// that of a column.
func (l *netnsLab) received(t *testing.T, line, column string) uint64 {
	t.Helper()
	text, err := l.bed.DUT().Host.ReadFile(t.Context(), "/proc/net/snmp")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for found := range strings.Lines(text) {
		switch f := strings.Fields(found); {
		case f[0] != line+":":
		case at == 0:
			at = slices.Index(f, column)
		default:
			n, err := strconv.ParseUint(f[at], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("/proc/net/snmp has no %s %s", line, column)
	return 0
}

// fromBIRD is how many routes the DUT has learnt.
func (l *netnsLab) fromBIRD(t *testing.T) int {
	t.Helper()
	said, err := l.bed.DUT().Host.Run(t.Context(), "", "ip", "route", "show", "proto", "bird")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(said, "\n")
}

func TestConditionWithDaemons(t *testing.T) {
	l := router(t)
	c := weir.ConditionOf(weir.Management(true), weir.Updates(true), weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1, Via: weir.ViaBGP})
	undo, err := l.apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.fromBIRD(t); got != c.Routes().Count+networksPerUpdate {
		t.Errorf("%d routes are learnt, want %d", got, c.Routes().Count+networksPerUpdate)
	}
	for range 2 {
		before, queries := l.daemons.state, l.received(t, "Udp", "InDatagrams")
		r := beside(t, l.daemons.accompany, weir.Trial{Duration: time.Hour, Condition: c}, func() {
			testenv.Await(t, "the DUT has processed the update, and has a query", func() bool {
				return l.daemons.processed(t.Context()) == nil && l.received(t, "Udp", "InDatagrams") > queries
			})
		})
		if r.Queries == nil || r.Queries.Sent == 0 || !answered(r) {
			t.Errorf("queries %+v", r.Queries)
		}
		if len(r.Warnings) > 0 {
			t.Error(r.Warnings)
		}
		if l.daemons.state == before {
			t.Error("the updates do not alternate")
		}
	}
	for _, step := range []struct {
		do   func() error
		want int
	}{
		{func() error { return l.withdrawn(t.Context()) }, 0},
		{func() error { return l.announced(t.Context()) }, c.Routes().Count},
		{func() error { return l.announced(t.Context()) }, c.Routes().Count},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got := l.fromBIRD(t); got != step.want+networksPerUpdate {
			t.Errorf("%d routes are learnt, want %d", got, step.want+networksPerUpdate)
		}
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	if got := l.fromBIRD(t); got != 0 {
		t.Errorf("%d routes are left", got)
	}
	if _, err := l.daemons.accompany(t.Context(), weir.Trial{Condition: c}); err == nil {
		t.Error("a condition that was undone was kept up")
	}
}

// A daemon that ends in the middle is noticed by the next trial. What it has left
// is no hindrance to the next level, which has a new one.
func TestDaemonEnds(t *testing.T) {
	l := router(t)
	c := weir.ConditionOf(weir.RouteSet{Family: weir.IPv4, Count: 100, Seed: 1, Via: weir.ViaBGP})
	undo, err := l.apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	beside(t, l.daemons.accompany, weir.Trial{}, func() {})
	if err := unix.Kill(l.daemons.bird.PID(), unix.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "a trial notices that the daemon has ended", func() bool {
		_, err = l.daemons.accompany(t.Context(), weir.Trial{})
		return err != nil
	})
	if !strings.Contains(err.Error(), "the routing daemon BIRD ended") {
		t.Error(err)
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	if got := l.fromBIRD(t); got != 0 {
		t.Errorf("%d routes are left", got)
	}
	c.Put(weir.Management(true))
	if undo, err = l.apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	beside(t, l.daemons.accompany, weir.Trial{Condition: c}, func() {})
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProbeCompanion(t *testing.T) {
	l := router(t)
	p := &prober{bed: l.bed}
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	if finish, err := p.accompany(t.Context(), weir.Trial{}); finish != nil || err != nil {
		t.Errorf("a trial without a probe is accompanied, %v", err)
	}
	echoes, connections := l.received(t, "Icmp", "InEchos"), l.received(t, "Tcp", "PassiveOpens")
	r := beside(t, p.accompany, weir.Trial{Duration: time.Hour, Probe: true}, func() {
		testenv.Await(t, "the DUT has had some probes", func() bool {
			return l.received(t, "Icmp", "InEchos") > echoes+3 && l.received(t, "Tcp", "PassiveOpens") > connections+3
		})
	})
	if !probed(r) || r.Probe.Echo.N == 0 || r.Probe.Accept.N == 0 || r.Probe.Heartbeat < 5*time.Millisecond {
		t.Errorf("%+v", r.Probe)
	}
}

// probed reports whether a trial knows what became of each sign of life that it asked for: a
// busy machine gives some too late.
func probed(r weir.TrialResult) bool {
	p := r.Probe
	return p != nil && p.Echo.N+p.EchoLost == p.EchoSent && p.Accept.N+p.AcceptFailed == p.AcceptTried
}

// answered reports whether each query of a trial was answered, or has its reason.
func answered(r weir.TrialResult) bool {
	q := r.Queries
	return q != nil && (q.Answered == q.Sent || q.Answered < q.Sent && q.Fault != "")
}

// Frames go to routes that the DUT learns from its neighbour, and what
// accompanies them is in the result.
func TestTrialsWithDaemons(t *testing.T) {
	testenv.NeedTool(t, "bird", "birdc", "snmpd")
	l, lab := openTestLab(t, "")
	c := weir.ConditionOf(weir.Management(true), weir.Updates(true), weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1, Via: weir.ViaBGP})
	undo, err := lab.Apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	to, err := fib.Destinations(c.Routes(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	traffic := l.plan.Traffic[0]
	traffic.Forward.Destination.First = to[999]
	r := measured(t, lab, traffic, func(trial *weir.Trial) { trial.Condition, trial.Probe = c, true })
	if r.Received != few || !answered(r) || !probed(r) {
		t.Errorf("%d of %d frames came back, queries %+v, probes %+v", r.Received, r.Offered, r.Queries, r.Probe)
	}
	for _, event := range []string{"announce", "withdraw", "reset daemon", "reset interface"} {
		testEvent(t, lab, traffic, event)
		switch event {
		case "announce":
			testenv.Await(t, "the DUT has learnt the routes", func() bool { return l.fromBIRD(t) == c.Routes().Count+networksPerUpdate })
			if again := measured(t, lab, traffic, nil); again.Received != few {
				t.Errorf("announced: %+v", again.Ledger)
			}
		case "withdraw":
			testenv.Await(t, "the DUT has lost the routes", func() bool { return l.fromBIRD(t) == networksPerUpdate })
			l.testDrops(t, lab, traffic, "InNoRoutes")
		}
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
}
