package lab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/fib"
	"weir/internal/campaign"
	"weir/internal/dut"
	"weir/internal/plan"
	"weir/internal/testenv"
)

// few are so many frames that no ring on their way is too small for them, however late
// somebody takes them from it.
const few = 100

// never is when a trial gives up frames that have not come: one that none of them lacks does
// not wait for it.
const never = time.Minute

// openTestLab is a lab for one size of IPv4 frames, with a command that resets
// its DUT.
func openTestLab(t *testing.T, hook string) (*netnsLab, campaign.Lab) {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "nft")
	t.Setenv("WEIR_RUN", t.TempDir())
	p, err := plan.Parse("test.yaml", []byte("traffic: {sizes: [64]}\nmethods: [frmol]\n"))
	if err != nil {
		t.Fatal(err)
	}
	p.DUT.ResetHook = strings.Fields(hook)
	l := &netnsLab{plan: p}
	lab, closeLab, err := assembled(t.Context(), l.assemble)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeLab(); err != nil {
			t.Error(err)
		}
	})
	return l, lab
}

// measured is a trial of few frames, changed.
func measured(t *testing.T, lab campaign.Lab, traffic weir.Traffic, change func(*weir.Trial)) weir.TrialResult {
	t.Helper()
	trial := weir.Trial{
		Traffic: traffic, Maximum: true, Count: few, Duration: time.Hour, Waits: weir.Waits{Residual: never},
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

// droppedSince is that of all that the DUT counts, since before.
func (l *netnsLab) droppedSince(t *testing.T, before []weir.Drop, place string) uint64 {
	t.Helper()
	all, err := l.drops(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dropped(weir.TrialResult{Ledger: weir.Ledger{Drops: dut.Since(before, slices.Concat(all...))}}, place)
}

// testDrops sends few frames of which the DUT has to drop each and count it at a place, however
// late that is.
func (l *netnsLab) testDrops(t *testing.T, lab campaign.Lab, traffic weir.Traffic, place string) {
	t.Helper()
	all, err := l.drops(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Concat(all...)
	r := measured(t, lab, traffic, func(trial *weir.Trial) { trial.Waits.Residual = 0 })
	if r.Offered == 0 || r.Received > 0 {
		t.Errorf("%d of %d frames came back: %+v", r.Received, r.Offered, r.Ledger)
		return
	}
	testenv.Await(t, fmt.Sprintf("%d frames are counted at %s", r.Offered, place), func() bool {
		return l.droppedSince(t, before, place) >= r.Offered
	})
}

func TestConditions(t *testing.T) {
	l, lab := openTestLab(t, "")
	t.Run("forwards", func(t *testing.T) { testForwards(t, l, lab) })
	t.Run("filters drop", func(t *testing.T) { testFilters(t, l, lab) })
	t.Run("diagnosis", func(t *testing.T) { testDiagnosis(t, lab, l.plan.Traffic[0]) })
}

// A DUT forwards in every condition that it can be set to, and is as before
// when that is undone.
func testForwards(t *testing.T, l *netnsLab, lab campaign.Lab) {
	traffic := l.plan.Traffic[0]
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
		{weir.ConditionOf(weir.Filters(1)), traffic},
		{weir.ConditionOf(weir.Filters(25)), traffic},
		{weir.ConditionOf(weir.Softirq), traffic},
		{weir.ConditionOf(weir.Threaded), traffic},
		{weir.ConditionOf(weir.BusyPoll), traffic},
		{weir.ConditionOf(routes, weir.Filters(2), weir.Softirq), routed},
		{weir.Condition{}, traffic},
	} {
		undo, err := lab.Apply(t.Context(), c.condition)
		if unsupported := (*weir.UnsupportedError)(nil); c.condition.NAPI() == weir.BusyPoll && errors.As(err, &unsupported) {
			continue // and the next ones show that nothing was left half done
		}
		if err != nil {
			t.Fatalf("%v: %v", c.condition, err)
		}
		if r := measured(t, lab, c.traffic, nil); r.Received != few || r.Offered != few {
			t.Errorf("%v: %d of %d frames came back: %+v", c.condition, r.Received, r.Offered, r.Ledger)
		}
		if err := undo(t.Context()); err != nil {
			t.Errorf("%v: %v", c.condition, err)
		}
	}
	// Without the routes nobody knows where these are.
	l.testDrops(t, lab, routed, "InNoRoutes")
}

// Filters let the test frames pass and nothing else, and count what they drop.
func testFilters(t *testing.T, l *netnsLab, lab campaign.Lab) {
	undo, err := lab.Apply(t.Context(), weir.ConditionOf(weir.Filters(25)))
	if err != nil {
		t.Fatal(err)
	}
	defer undo(context.WithoutCancel(t.Context()))
	for _, source := range []string{"192.0.2.99", "203.0.113.1"} {
		other := l.plan.Traffic[0]
		other.Forward.Source.First = netip.MustParseAddr(source)
		l.testDrops(t, lab, other, "filters denied")
	}
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
		"nowhere":            {at("198.18.0.2", "9.9.9.9"), []string{"route of 198.18.0.2 to 9.9.9.9: ", "unreachable", "ip route add 9.9.9.9 via 198.19.0.2"}, []string{"neighbour"}},
		"from the DUT":       {at("198.18.0.1", "198.19.0.2"), []string{"198.18.0.1 is an address of the DUT itself", "route of 198.18.0.1 to 198.19.0.2: "}, []string{"198.18.0.2 "}},
		"to a route":         {learnt, []string{"route of 198.18.0.2 to " + to[0].String() + ": "}, nil},
	} {
		said := strings.Join(lab.Diagnose(t.Context(), c.traffic), "; ")
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
