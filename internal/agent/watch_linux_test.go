package agent_test

import (
	"testing"
	"time"

	"weir"
	"weir/internal/agent"
	"weir/internal/testbed"
)

// watched is a heartbeat agent in the DUT of a lab and a watch agent in its tester.
func watched(t *testing.T) (agent.Heartbeat, agent.Watch) {
	bed := lab(t)
	heartbeat, err := agent.StartHeartbeat(t.Context(), agent.Place{Host: bed.DUT().Host, CPUs: bed.CPUs().DUT}, testbed.ControlDUT.Addr())
	if err != nil {
		t.Fatal(err)
	}
	watch, err := agent.StartWatch(t.Context(), agent.Place{Host: bed.TesterHost(), CPUs: bed.CPUs().Receiver},
		agent.WatchSettings{Target: testbed.ControlDUT.Addr(), Every: 10 * time.Millisecond, Limit: time.Hour}) // a busy machine may answer late
	if err != nil {
		t.Fatal(err)
	}
	return heartbeat, watch
}

// probed is what comes of probes for 300 ms. What was seen before is forgotten.
func probed(t *testing.T, watch agent.Watch) weir.Probe {
	t.Helper()
	for {
		if err := watch.Begin(t.Context(), 300*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond) // a report would end it
		p, err := watch.Report(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.EchoSent > 0 { // none is sent when the process has had no CPU meanwhile
			return p
		}
	}
}

func TestProbe(t *testing.T) {
	heartbeat, watch := watched(t)
	ctx, began := t.Context(), time.Now()
	if err := heartbeat.Begin(ctx, 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	p := probed(t, watch)
	if p.EchoSent > 31 || p.EchoLost != 0 || p.Echo.N != p.EchoSent || p.Echo.Min == 0 {
		t.Errorf("%d echoes sent, %d lost, %d round trips; want all of at most 31", p.EchoSent, p.EchoLost, p.Echo.N)
	}
	if p.AcceptTried != p.EchoSent || p.AcceptFailed != 0 || p.Accept.N != p.AcceptTried || p.Accept.Min == 0 {
		t.Errorf("%d connections tried, %d failed, %d taken; want all of %d", p.AcceptTried, p.AcceptFailed, p.Accept.N, p.EchoSent)
	}
	gap, err := heartbeat.Report(ctx)
	if err != nil || gap < 5*time.Millisecond || gap > time.Since(began) {
		t.Errorf("the longest gap of a heart that beats every 5 ms was %v, %v", gap, err)
	}
	for _, a := range []*agent.Agent{heartbeat.Agent, watch.Agent} {
		if err := a.Stop(ctx); err != nil {
			t.Error(err)
		}
	}
	if _, err := heartbeat.Report(ctx); err == nil {
		t.Error("an agent that was stopped still answers")
	}
}

// Connections to a port where nobody is are refused, and echoes that nobody
// answers are lost.
func TestProbeUnanswered(t *testing.T) {
	heartbeat, watch := watched(t)
	if err := heartbeat.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := probed(t, watch); p.AcceptTried == 0 || p.AcceptFailed != p.AcceptTried || p.EchoLost != 0 {
		t.Errorf("%+v", p)
	}
}

// Whoever takes no frames answers nothing, which takes the limit to find out.
func TestProbeOfNobody(t *testing.T) {
	bed := lab(t)
	watch, err := agent.StartWatch(t.Context(), agent.Place{Host: bed.TesterHost(), CPUs: bed.CPUs().Receiver},
		agent.WatchSettings{Target: testbed.ControlDUT.Addr(), Every: 10 * time.Millisecond, Limit: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bed.TesterHost().Run(t.Context(), "", "ip", "neighbor", "replace", testbed.ControlDUT.Addr().String(),
		"lladdr", "02:00:00:00:00:01", "dev", bed.Control.Tester); err != nil {
		t.Fatal(err)
	}
	if p := probed(t, watch); p.EchoLost != p.EchoSent || p.AcceptFailed != p.AcceptTried || p.Echo.N+p.Accept.N != 0 {
		t.Errorf("%+v", p)
	}
}
