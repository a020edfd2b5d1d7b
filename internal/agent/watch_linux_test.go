package agent_test

import (
	"math"
	"testing"
	"time"

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
		agent.WatchSettings{Target: testbed.ControlDUT.Addr(), Every: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return heartbeat, watch
}

func TestProbe(t *testing.T) {
	heartbeat, watch := watched(t)
	ctx := t.Context()
	// The kernel answers an echo; a connection takes two more crossings of the link and a
	// program. Of both the fastest, as other work holds either up.
	echo, accept := uint64(math.MaxUint64), uint64(math.MaxUint64)
	for try := 0; try < 2 || try < 10 && accept <= echo; try++ { // what was seen before is forgotten
		if err := heartbeat.Begin(ctx, 300*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if err := watch.Begin(ctx, 300*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		time.Sleep(400 * time.Millisecond)
		p, err := watch.Report(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if p.EchoSent == 0 || p.EchoSent > 31 || p.EchoLost != 0 || p.Echo.N != p.EchoSent {
			t.Errorf("%d echoes sent, %d lost, %d round trips; want all of at most 31", p.EchoSent, p.EchoLost, p.Echo.N)
		}
		if p.AcceptTried != p.EchoSent || p.AcceptFailed != 0 || p.Accept.N != p.AcceptTried {
			t.Errorf("%d connections tried, %d failed, %d taken; want all of %d", p.AcceptTried, p.AcceptFailed, p.Accept.N, p.EchoSent)
		}
		echo, accept = min(echo, p.Echo.Min), min(accept, p.Accept.Min)
		gap, err := heartbeat.Report(ctx)
		if err != nil || gap < 5*time.Millisecond || gap > 5*time.Second {
			t.Errorf("the longest gap of a heart that beats every 5 ms was %v, %v", gap, err)
		}
	}
	if echo == 0 || accept <= echo {
		t.Errorf("echoes took at least %d ns and connections %d ns", echo, accept)
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
	ctx := t.Context()
	if err := heartbeat.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := watch.Begin(ctx, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	p, err := watch.Report(ctx)
	if err != nil || p.AcceptTried == 0 || p.AcceptFailed != p.AcceptTried || p.EchoLost != 0 {
		t.Errorf("%+v, %v", p, err)
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
	if err := watch.Begin(t.Context(), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	p, err := watch.Report(t.Context())
	if err != nil || p.EchoSent == 0 || p.EchoLost != p.EchoSent || p.AcceptFailed != p.AcceptTried || p.Echo.N+p.Accept.N != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}
