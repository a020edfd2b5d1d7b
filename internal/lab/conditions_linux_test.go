package lab

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/fib"
	"weir/internal/campaign"
	"weir/internal/plan"
	"weir/internal/testenv"
)

// trickle is a load that the DUT forwards without loss in any condition.
const trickle = 2000.0 // frames/s

// openTestLab is a lab for one size of IPv4 frames, with a command that resets
// its DUT.
func openTestLab(t *testing.T, hook string) (campaign.Lab, weir.Traffic) {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "nft")
	t.Setenv("WEIR_RUN", t.TempDir())
	p, err := plan.Parse("test.yaml", []byte("traffic: {sizes: [64]}\nmethods: [frmol]\n"))
	if err != nil {
		t.Fatal(err)
	}
	p.DUT.ResetHook = strings.Fields(hook)
	lab, closeLab, err := openNetNS(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeLab(); err != nil {
			t.Error(err)
		}
	})
	return lab, p.Traffic[0]
}

// measured is a trial at a trickle, changed.
func measured(t *testing.T, lab campaign.Lab, traffic weir.Traffic, change func(*weir.Trial)) weir.TrialResult {
	t.Helper()
	trial := weir.Trial{
		Traffic: traffic, Intended: trickle, Duration: 50 * time.Millisecond, Waits: weir.Waits{Residual: 100 * time.Millisecond},
	}
	if change != nil {
		change(&trial)
	}
	r, err := lab.Measure(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// dropped is what a result's ledger has at places with this in their names.
func dropped(r weir.TrialResult, place string) (n uint64) {
	for _, d := range r.Ledger.Drops {
		if strings.Contains(d.Place, place) {
			n += d.Count
		}
	}
	return n
}

func TestConditions(t *testing.T) {
	lab, traffic := openTestLab(t, "")
	t.Run("forwards", func(t *testing.T) { testForwards(t, lab, traffic) })
	t.Run("filters drop", func(t *testing.T) { testFilters(t, lab, traffic) })
	t.Run("diagnosis", func(t *testing.T) { testDiagnosis(t, lab, traffic) })
}

// A DUT forwards in every condition that it can be set to, and is as before
// when that is undone.
func testForwards(t *testing.T, lab campaign.Lab, traffic weir.Traffic) {
	routes := weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1}
	to, err := fib.Destinations(routes, 1000)
	if err != nil {
		t.Fatal(err)
	}
	routed := traffic
	routed.Forward.Destination.First = to[500]
	for _, c := range []struct {
		condition weir.Condition
		traffic   weir.Traffic
	}{
		{weir.Condition{}, traffic},
		{weir.Condition{Filters: 1}, traffic},
		{weir.Condition{Filters: 25}, traffic},
		{weir.Condition{NAPI: weir.Softirq}, traffic},
		{weir.Condition{NAPI: weir.Threaded}, traffic},
		{weir.Condition{NAPI: weir.BusyPoll}, traffic},
		{weir.Condition{Routes: routes, Filters: 2, NAPI: weir.Softirq}, routed},
		{weir.Condition{}, traffic},
	} {
		undo, err := lab.Apply(t.Context(), c.condition)
		if unsupported := (*weir.UnsupportedError)(nil); c.condition.NAPI == weir.BusyPoll && errors.As(err, &unsupported) {
			continue // and the next ones show that nothing was left half done
		}
		if err != nil {
			t.Fatalf("%v: %v", c.condition, err)
		}
		if r := measured(t, lab, c.traffic, nil); r.Received == 0 || r.Ledger.Unexplained != 0 {
			t.Errorf("%v: %+v", c.condition, r.Ledger)
		}
		if err := undo(t.Context()); err != nil {
			t.Errorf("%v: %v", c.condition, err)
		}
	}
	// Without the routes nobody knows where these are.
	if r := measured(t, lab, routed, nil); r.Received > 0 || dropped(r, "InNoRoutes") != r.Offered {
		t.Errorf("without a route: %+v", r.Ledger)
	}
}

// Filters let the test frames pass and nothing else, and count what they drop.
func testFilters(t *testing.T, lab campaign.Lab, traffic weir.Traffic) {
	undo, err := lab.Apply(t.Context(), weir.Condition{Filters: 25})
	if err != nil {
		t.Fatal(err)
	}
	defer undo(context.WithoutCancel(t.Context()))
	for _, source := range []string{"192.0.2.99", "203.0.113.1"} {
		other := traffic
		other.Forward.Source.First = netip.MustParseAddr(source)
		if r := measured(t, lab, other, nil); r.Offered == 0 || r.Received > 0 || dropped(r, "filters denied") != r.Offered {
			t.Errorf("from %s: %+v", source, r.Ledger)
		}
	}
}

// Events happen when they should, and the DUT forwards again by itself.
func TestEvents(t *testing.T) {
	lab, traffic := openTestLab(t, "sleep 0.01")
	routes := weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1}
	to, err := fib.Destinations(routes, 1000)
	if err != nil {
		t.Fatal(err)
	}
	undo, err := lab.Apply(t.Context(), weir.Condition{Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	defer undo(context.WithoutCancel(t.Context()))
	routed := traffic
	routed.Forward.Destination.First = to[999]
	for _, name := range []string{"reset interface", "reset forwarding", "reset hook", "announce"} {
		const after = 100 * time.Millisecond
		during := func(d time.Duration) weir.TrialResult {
			return measured(t, lab, routed, func(trial *weir.Trial) {
				trial.Duration = d
				trial.Event = &weir.Event{Name: name, After: after}
			})
		}
		r := inTime(during, during(300*time.Millisecond))
		h := r.Happened
		// The first frame may come late, where the machine does other things too.
		if h == nil || h.Error != "" || h.Began < after/4 || h.Ended < h.Began {
			t.Errorf("%s: it happened as %+v", name, h)
		}
		// The frames until then have no route yet.
		if name == "announce" {
			r = untilSeen(during, r)
			if !half(r) {
				t.Errorf("%s: %+v", name, r.Ledger)
			}
		}
		if again := measured(t, lab, routed, nil); again.Received == 0 || again.Received != again.Offered {
			t.Errorf("after %s: %+v", name, again.Ledger)
		}
	}
	// What is withdrawn is forwarded until then, and not afterwards.
	withdraw := func(d time.Duration) weir.TrialResult {
		return measured(t, lab, routed, func(trial *weir.Trial) {
			trial.Duration, trial.Event = d, &weir.Event{Name: "withdraw", After: 50 * time.Millisecond}
		})
	}
	if r := untilSeen(withdraw, inTime(withdraw, withdraw(150*time.Millisecond))); !half(r) || r.Happened == nil || r.Happened.Error != "" {
		t.Errorf("withdraw: %+v, it happened as %+v", r.Ledger, r.Happened)
	}
	_, err = lab.Measure(t.Context(), weir.Trial{
		Traffic: traffic, Intended: trickle, Duration: 10 * time.Millisecond, Event: &weir.Event{Name: "earthquake"},
	})
	if !errors.Is(err, errEvent) {
		t.Errorf("an event that the lab does not have: %v", err)
	}
}

// A command that does not end is ended, and the error says why.
func TestEventLimit(t *testing.T) {
	x := &executor{}
	waits := event{name: "reset hook", limit: time.Millisecond, run: func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}}
	if err := x.perform(t.Context(), waits, time.Millisecond); err == nil || !strings.Contains(err.Error(), "it had not ended 2ms after it began and was killed") {
		t.Error(err)
	}
}

// half reports whether a trial saw the DUT both with its routes and without.
func half(r weir.TrialResult) bool { return r.Received > 0 && dropped(r, "InNoRoutes") > 0 }

// inTime repeats a trial, longer each time, until its event came before it was
// over: a CPU that its host takes away for a while makes it late.
func inTime(during func(time.Duration) weir.TrialResult, r weir.TrialResult) weir.TrialResult {
	for d := time.Second; r.Happened != nil && strings.Contains(r.Happened.Error, "the trial ended after") && d <= 16*time.Second; d *= 4 {
		r = during(d)
	}
	return r
}

// untilSeen repeats a trial, longer each time, until it saw routes come or go.
// Work that shares its CPU with others takes a while: only a trial in which it
// had no time at all is wrong.
func untilSeen(during func(time.Duration) weir.TrialResult, r weir.TrialResult) weir.TrialResult {
	for d := time.Second; !half(r) && d <= 16*time.Second; d *= 4 {
		r = during(d)
	}
	return r
}

// The diagnosis says what is needed for forwarding a traffic, and what is
// missing.
func testDiagnosis(t *testing.T, lab campaign.Lab, traffic weir.Traffic) {
	at := func(source, destination string) weir.Traffic {
		other := traffic
		other.Forward.Source.First, other.Forward.Destination.First = netip.MustParseAddr(source), netip.MustParseAddr(destination)
		return other
	}
	both := traffic
	both.Bidirectional = true
	learnt := traffic
	learnt.Routes = weir.RouteSet{Family: weir.IPv4, Count: 1, Seed: 1}
	to, err := fib.Destinations(learnt.Routes, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		traffic   weir.Traffic
		want, not []string
	}{
		"as it is": {traffic, []string{
			"DUT port 0 is up", "DUT port 1 is up",
			"neighbour 198.19.0.2 at port 1: 198.19.0.2 lladdr 02:77:65:aa:00:02 PERMANENT",
			"route of 198.18.0.2 to 198.19.0.2: 198.19.0.2 from 198.18.0.2 dev",
		}, []string{"neighbour 198.18.0.2", "DUT itself"}},
		"both ways": {both, []string{
			"neighbour 198.19.0.2 at port 1: 198.19.0.2 lladdr 02:77:65:aa:00:02 PERMANENT",
			"neighbour 198.18.0.2 at port 0: 198.18.0.2 lladdr 02:77:65:aa:00:01 PERMANENT",
		}, nil},
		"behind a neighbour": {at("198.18.0.2", "198.19.200.9"), []string{"route of 198.18.0.2 to 198.19.200.9: 198.19.200.9 from 198.18.0.2 via 198.19.0.2", "neighbour 198.19.0.2 at port 1"}, nil},
		"nowhere":            {at("198.18.0.2", "9.9.9.9"), []string{"route of 198.18.0.2 to 9.9.9.9: ", "unreachable"}, []string{"neighbour", "198.19.0.2"}},
		"from the DUT":       {at("198.18.0.1", "198.19.0.2"), []string{"198.18.0.1 is an address of the DUT itself", "route of 198.18.0.1 to 198.19.0.2: "}, []string{"198.18.0.2 "}},
		"to a route":         {learnt, []string{"route of 198.18.0.2 to " + to[0].String() + ": "}, nil},
	} {
		said := lab.Diagnose(t.Context(), c.traffic)
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: it does not say %q: %s", name, want, said)
			}
		}
		for _, not := range c.not {
			if strings.Contains(said, not) {
				t.Errorf("%s: it says %q: %s", name, not, said)
			}
		}
	}
}

// Companions finish in the reverse of their order, and those that began when
// another cannot.
func TestTogether(t *testing.T) {
	var said []string
	one := func(name string, err error) hook {
		return func(context.Context, weir.Trial) (func(*weir.TrialResult), error) {
			said = append(said, "begin "+name)
			if err != nil {
				return nil, err
			}
			return func(*weir.TrialResult) { said = append(said, "finish "+name) }, nil
		}
	}
	finish, err := together(one("a", nil), one("b", nil))(t.Context(), weir.Trial{})
	if err != nil {
		t.Fatal(err)
	}
	finish(&weir.TrialResult{})
	if got := strings.Join(said, ", "); got != "begin a, begin b, finish b, finish a" {
		t.Error(got)
	}
	said = nil
	cannot := errors.New("it cannot")
	if _, err := together(one("a", nil), one("b", cannot), one("c", nil))(t.Context(), weir.Trial{}); !errors.Is(err, cannot) {
		t.Errorf("%v", err)
	}
	if got := strings.Join(said, ", "); got != "begin a, begin b, finish a" {
		t.Error(got)
	}
}
