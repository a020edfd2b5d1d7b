package lab

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/fib"
	"weir/internal/campaign"
)

// Events happen in their trials, and the DUT forwards again by itself. Those that give it routes
// or take them do so: it begins with none, and has them afterwards, or the other way round.
func TestEvents(t *testing.T) {
	l, lab := openTestLab(t, "sleep 0.01")
	routes := weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1}
	to, err := fib.Destinations(routes, 1000)
	if err != nil {
		t.Fatal(err)
	}
	undo, err := lab.Apply(t.Context(), weir.ConditionOf(routes))
	if err != nil {
		t.Fatal(err)
	}
	defer undo(context.WithoutCancel(t.Context()))
	routed := l.plan.Traffic[0]
	routed.Forward.Destination.First = to[999]
	for _, name := range []string{"reset interface", "reset forwarding", "reset hook", "withdraw", "announce"} {
		testEvent(t, lab, routed, name)
		if name == "withdraw" {
			l.testDrops(t, lab, routed, "InNoRoutes")
		} else if again := measured(t, lab, routed, nil); again.Received != few {
			t.Errorf("after %s: %+v", name, again.Ledger)
		}
	}
	_, err = lab.Measure(t.Context(), weir.Trial{
		Traffic: routed, Intended: 100, Duration: 10 * time.Millisecond, Event: &weir.Event{Name: "earthquake"},
	})
	if !errors.Is(err, errEvent) {
		t.Errorf("an event that the lab does not have: %v", err)
	}
}

// testEvent has an event happen in a trial, whose length it cannot miss: after its frames, some of
// which may be lost all the same.
func testEvent(t *testing.T, lab campaign.Lab, traffic weir.Traffic, name string) {
	t.Helper()
	r := measured(t, lab, traffic, func(trial *weir.Trial) {
		trial.Waits, trial.Event = weir.Waits{}, &weir.Event{Name: name, After: 100 * time.Millisecond}
	})
	if h := r.Happened; h == nil || h.Error != "" || h.Ended < h.Began {
		t.Errorf("%s: it happened as %+v", name, h)
	}
}

// An event comes no sooner than its trial says. One that comes when the trial is over is none.
func TestEventTime(t *testing.T) {
	const after = 20 * time.Millisecond
	for _, length := range []time.Duration{time.Hour, after} {
		var began time.Time
		x := &executor{do: func(do func() error) error { return do() }, events: []event{{name: "reset hook", run: func(context.Context) error {
			began = time.Now()
			return nil
		}}}}
		start := time.Now()
		finish, err := x.accompany(t.Context(), weir.Trial{Duration: length, Event: &weir.Event{Name: "reset hook", After: after}})
		if err != nil {
			t.Fatal(err)
		}
		r := weir.TrialResult{Start: start}
		finish(&r)
		if began.Sub(start) < after || r.Happened.Began < after || (r.Happened.Error == "") != (length > after) {
			t.Errorf("in a trial of %v it came after %v, and is said to have happened as %+v", length, began.Sub(start), r.Happened)
		}
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
