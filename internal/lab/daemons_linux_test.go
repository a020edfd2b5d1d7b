//go:build linux

package lab

import (
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

// beside performs what accompanies a trial that sends nothing.
func beside(t *testing.T, begin hook, trial weir.Trial) weir.TrialResult {
	t.Helper()
	finish, err := begin(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(trial.Duration)
	r := weir.TrialResult{Trial: trial}
	finish(&r)
	return r
}

func TestConditionWithDaemons(t *testing.T) {
	l := router(t)
	c := weir.Condition{Management: true, Updates: true, Routes: weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1, Via: weir.ViaBGP}}
	undo, err := l.apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	fromBIRD := func() int {
		said, err := l.bed.DUT().Host.Run(t.Context(), "", "ip", "route", "show", "proto", "bird")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(said, "\n")
	}
	if got := fromBIRD(); got != c.Routes.Count+networksPerUpdate {
		t.Errorf("%d routes are learnt, want %d", got, c.Routes.Count+networksPerUpdate)
	}
	for range 3 {
		before := l.daemons.state
		r := beside(t, l.daemons.accompany, weir.Trial{Duration: 300 * time.Millisecond, Condition: c})
		if r.Queries == nil || *r.Queries != (weir.Queries{Sent: 1, Answered: 1}) {
			t.Errorf("%+v; want one query at the beginning of the only second, answered", r.Queries)
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
		{func() error { return l.announced(t.Context()) }, c.Routes.Count},
		{func() error { return l.announced(t.Context()) }, c.Routes.Count},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got := fromBIRD(); got != step.want+networksPerUpdate {
			t.Errorf("%d routes are learnt, want %d", got, step.want+networksPerUpdate)
		}
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	if got := fromBIRD(); got != 0 {
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
	c := weir.Condition{Routes: weir.RouteSet{Family: weir.IPv4, Count: 100, Seed: 1, Via: weir.ViaBGP}}
	undo, err := l.apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	beside(t, l.daemons.accompany, weir.Trial{})
	if err := unix.Kill(l.daemons.bird.PID(), unix.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; _, err = l.daemons.accompany(t.Context(), weir.Trial{}) {
		time.Sleep(time.Millisecond)
	}
	if !strings.Contains(err.Error(), "the routing daemon BIRD ended") {
		t.Error(err)
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	said, err := l.bed.DUT().Host.Run(t.Context(), "", "ip", "route", "show", "proto", "bird")
	if err != nil || said != "" {
		t.Errorf("these routes are left, %v: %s", err, said)
	}
	c.Management = true
	if undo, err = l.apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	beside(t, l.daemons.accompany, weir.Trial{Condition: c})
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProbeCompanion(t *testing.T) {
	p := &prober{bed: router(t).bed}
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	if finish, err := p.accompany(t.Context(), weir.Trial{}); finish != nil || err != nil {
		t.Errorf("a trial without a probe is accompanied, %v", err)
	}
	r := beside(t, p.accompany, weir.Trial{Duration: 200 * time.Millisecond, Probe: true})
	if r.Probe == nil || r.Probe.EchoSent == 0 || r.Probe.Echo.N != r.Probe.EchoSent || r.Probe.Accept.N != r.Probe.AcceptTried || r.Probe.Heartbeat < 5*time.Millisecond {
		t.Errorf("%+v", r.Probe)
	}
}

// Frames go to routes that the DUT learns from its neighbour, and what
// accompanies them is in the result.
func TestTrialsWithDaemons(t *testing.T) {
	testenv.NeedTool(t, "bird", "birdc", "snmpd")
	lab, traffic := openTestLab(t, "")
	c := weir.Condition{Management: true, Updates: true, Routes: weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1, Via: weir.ViaBGP}}
	undo, err := lab.Apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	to, err := fib.Destinations(c.Routes, 1000)
	if err != nil {
		t.Fatal(err)
	}
	traffic.Forward.Destination.First = to[999]
	for _, event := range []string{"", "announce", "withdraw", "announce", "reset daemon", "reset interface"} {
		during := func(d time.Duration) weir.TrialResult {
			return measured(t, lab, traffic, func(trial *weir.Trial) {
				trial.Condition, trial.Duration = c, d
				if trial.Probe = event == ""; !trial.Probe {
					trial.Event = &weir.Event{Name: event, After: 100 * time.Millisecond}
				}
			})
		}
		r := inTime(during, during(300*time.Millisecond))
		if r.Queries == nil || r.Queries.Sent == 0 {
			t.Errorf("%s: queries %+v", event, r.Queries)
		}
		switch event {
		case "":
			if r.Received != r.Offered || r.Queries.Answered != r.Queries.Sent {
				t.Errorf("%d of %d frames came back, queries %+v", r.Received, r.Offered, r.Queries)
			}
			if r.Probe == nil || r.Probe.Echo.N == 0 || r.Probe.Accept.N == 0 {
				t.Errorf("%+v", r.Probe)
			}
			continue
		case "announce", "withdraw":
			if r = untilSeen(during, r); !half(r) {
				t.Errorf("%s: %+v", event, r.Ledger)
			}
		}
		if r.Happened == nil || r.Happened.Error != "" {
			t.Errorf("%s: it happened as %+v", event, r.Happened)
		}
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
}
