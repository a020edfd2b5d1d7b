package service_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/agent"
	"weir/internal/service"
	"weir/internal/testbed"
)

// neighbors are BIRD in the DUT of a lab and a speaker in its tester, with a
// session.
func neighbors(t *testing.T) (*testbed.Netns, *service.BIRD, agent.Speaker) {
	t.Helper()
	bed := lab(t, "bird", "birdc")
	bird, err := service.StartBIRD(t.Context(), atDUT(bed), service.BIRDConfig{
		Local: near[0], Neighbor: near[1], LocalAS: agent.DUTAS, NeighborAS: agent.TesterAS})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bird.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	speaker, err := agent.StartSpeaker(t.Context(), atTester(bed), agent.SpeakerSettings{
		Local: near[1], Peer: near[0], NextHop: []netip.Addr{far[1], far6[1]}})
	if err != nil {
		t.Fatal(err)
	}
	if err := speaker.Await(t.Context(), time.Hour); err != nil {
		state, _ := bird.Session(t.Context())
		t.Fatalf("%v; BIRD says %q", err, state)
	}
	return bed, bird, speaker
}

// learnt are the routes of the DUT that are BIRD's: the kernel's own come and go, as
// its addresses of IPv6 do.
func learnt(t *testing.T, bed *testbed.Netns, family weir.Family) string {
	t.Helper()
	listed, err := bed.DUT().Host.Run(t.Context(), "", "ip", "-"+strings.TrimPrefix(string(family), "ipv"), "route", "show", "proto", "bird")
	if err != nil {
		t.Fatal(err)
	}
	return listed
}

func routes(t *testing.T, bed *testbed.Netns, family weir.Family) int {
	t.Helper()
	return strings.Count(learnt(t, bed, family), "\n")
}

// await waits until the DUT has a number of routes. It fails with the test's
// time alone.
func await(t *testing.T, bed *testbed.Netns, family weir.Family, want int) {
	t.Helper()
	for routes(t, bed, family) != want {
		time.Sleep(10 * time.Millisecond)
		if t.Context().Err() != nil {
			t.Fatalf("%d routes, want %d", routes(t, bed, family), want)
		}
	}
}

func TestBIRDLearns(t *testing.T) {
	bed, bird, speaker := neighbors(t)
	ctx := t.Context()
	for _, set := range []weir.RouteSet{
		{Family: weir.IPv4, Count: 10_000, Seed: 1}, {Family: weir.IPv6, Count: 2000, Seed: 1},
	} {
		before := routes(t, bed, set.Family)
		if err := speaker.Announce(ctx, set); err != nil {
			t.Fatal(err)
		}
		await(t, bed, set.Family, before+set.Count)
		if n, err := speaker.Count(ctx); err != nil || n != set.Count {
			t.Errorf("%d routes are announced, %v; want %d", n, err, set.Count)
		}
		if n, err := service.CountRoutes(ctx, bed.DUT().Host, set.Family); err != nil || n < set.Count {
			t.Errorf("the DUT has %d routes, %v; want %d of BIRD's and its own", n, err, set.Count)
		}
		listed := learnt(t, bed, set.Family)
		hop := far[1]
		if set.Family == weir.IPv6 {
			hop = far6[1]
		}
		if got := strings.Count(listed, " via "+hop.String()+" dev "+bed.DUT().Ports[1].DUT+" "); got != set.Count {
			t.Errorf("%d of %d routes lead to the tester behind port 1", got, set.Count)
		}
		if err := speaker.Withdraw(ctx, set); err != nil {
			t.Fatal(err)
		}
		await(t, bed, set.Family, before)
	}
	if state, err := bird.Session(ctx); err != nil || !strings.HasSuffix(state, "Established") {
		t.Errorf("the session is %q, %v", state, err)
	}
}

// One message sets state A, another one state B.
func TestBIRDUpdates(t *testing.T) {
	bed, _, speaker := neighbors(t)
	a := []netip.Prefix{netip.MustParsePrefix("203.0.113.0/28"), netip.MustParsePrefix("203.0.113.16/28")}
	b := []netip.Prefix{netip.MustParsePrefix("198.51.100.0/28")}
	before := routes(t, bed, weir.IPv4)
	for _, c := range []struct{ come, gone []netip.Prefix }{{a, nil}, {b, a}, {a, b}} {
		if err := speaker.Update(t.Context(), c.come, c.gone); err != nil {
			t.Fatal(err)
		}
		await(t, bed, weir.IPv4, before+len(c.come))
	}
}

// A BIRD that is reset learns again what is announced.
func TestBIRDReset(t *testing.T) {
	bed, bird, speaker := neighbors(t)
	set := weir.RouteSet{Family: weir.IPv4, Count: 100, Seed: 1}
	before := routes(t, bed, set.Family)
	if err := speaker.Announce(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	await(t, bed, set.Family, before+set.Count)
	if err := bird.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	for { // what the old one learnt goes, and what the new one learns comes
		if state, err := bird.Session(t.Context()); err != nil {
			t.Fatal(err)
		} else if strings.HasSuffix(state, "Established") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for said := ""; !strings.Contains(said, "100 of"); time.Sleep(10 * time.Millisecond) {
		var err error
		if said, err = bird.Command(t.Context(), "show", "route", "protocol", "tester", "count"); err != nil {
			t.Fatalf("%q: %v", said, err)
		}
	}
	await(t, bed, set.Family, before+set.Count)
	if err := speaker.Withdraw(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	await(t, bed, set.Family, before)
}

func TestBIRDDies(t *testing.T) {
	_, bird, _ := neighbors(t)
	if err := bird.Alive(); err != nil {
		t.Error(err)
	}
	if err := unix.Kill(bird.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for bird.Alive() == nil && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if err := bird.Alive(); err == nil || !strings.Contains(err.Error(), "the routing daemon BIRD ended: ") || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%v", err)
	}
	if _, err := bird.Command(t.Context(), "show", "status"); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a command to a BIRD that ended: %v", err)
	}
}
