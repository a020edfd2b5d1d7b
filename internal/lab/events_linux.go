package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/settings"
)

// event is something that the lab can do to its DUT during a trial.
type event struct {
	name string
	// prepare sets the DUT up for it before frames are sent; nil: nothing to do.
	prepare func(context.Context) error
	run     func(context.Context) error
	// limit is for how much longer than the trial it may take; 0: weir itself does it,
	// and waits for it.
	limit time.Duration
	// work is done by the DUT's own CPUs, beside what they forward. Other events
	// are short, and take precedence.
	work bool
}

// errEvent says that a trial asks for an event that the lab does not have.
var errEvent = errors.New("the testbed has no such event")

// executor performs events on time, where do does them.
type executor struct {
	do     func(func() error) error
	events []event
}

// executor has what a lab in namespaces can do to its DUT: on a thread of its own in the
// DUT's namespace, on the DUT's CPUs, that comes before those that forward, until undo
// is done.
func (l *netnsLab) executor(undo *settings.Undo) (*executor, error) {
	place, err := l.bed.EnterDUT()
	if err != nil {
		return nil, err
	}
	err = place.Do(func() error {
		if err := netif.Pin(0, l.bed.CPUs().DUT); err != nil {
			return fmt.Errorf("bind the thread of events to the DUT's CPUs: %w", err)
		}
		return netif.PreferToAll()
	})
	if err != nil {
		place.Close()
		return nil, err
	}
	undo.AddClose(func() error { place.Close(); return nil })
	return &executor{do: place.Do, events: l.events()}, nil
}

// events are what can be done to the DUT of a lab.
func (l *netnsLab) events() []event {
	events := []event{
		{name: "reset interface", run: l.resetInterface},
		{name: "reset forwarding", run: l.resetForwarding},
		{name: "announce", prepare: l.withdrawn, run: l.announce, work: true},
		{name: "withdraw", prepare: l.announced, run: l.withdraw, work: true},
		{name: "reset daemon", run: l.daemons.reset},
	}
	if argv := l.plan.DUT.ResetHook; len(argv) > 0 {
		events = append(events, event{name: hookReset, limit: hookLimit, run: func(ctx context.Context) error {
			_, err := l.bed.DUT().Host.Run(ctx, "", argv...)
			return err
		}})
	}
	return events
}

// hookLimit is how long a reset hook may take beside the length of its trial: it
// does not end for as long as the trial, and nobody knows what it waits for.
const hookLimit = 10 * time.Second

// netnsEvents are the names of what could be done to the DUT of a plan's lab.
func netnsEvents(p plan.Plan) []string {
	l := &netnsLab{plan: p}
	return (&executor{events: l.events()}).names()
}

func (x *executor) names() []string {
	var out []string
	for _, e := range x.events {
		out = append(out, e.name)
	}
	return out
}

// accompany performs the event of a trial, if it has one; it is a hook.
// The trial is not over before the event is.
func (x *executor) accompany(ctx context.Context, t weir.Trial) (func(*weir.TrialResult), error) {
	if t.Event == nil {
		return nil, nil
	}
	i := slices.IndexFunc(x.events, func(e event) bool { return e.name == t.Event.Name })
	if i < 0 {
		return nil, fmt.Errorf("%q: %w; it can do: %s", t.Event.Name, errEvent, strings.Join(x.names(), ", "))
	}
	e := x.events[i]
	if e.prepare != nil {
		if err := e.prepare(ctx); err != nil {
			return nil, fmt.Errorf("prepare to %s: %w", e.name, err)
		}
	}
	start := time.Now()
	var began, ended time.Time
	done := make(chan error, 1)
	go func() {
		done <- x.do(func() (err error) {
			for left := t.Event.After; left > 0 && ctx.Err() == nil; left = time.Until(start.Add(t.Event.After)) {
				nap := unix.NsecToTimespec(int64(min(left, 20*time.Millisecond)))
				_ = unix.Nanosleep(&nap, nil) // interrupted or not, the clock is asked again
			}
			began = time.Now()
			if err = ctx.Err(); err == nil {
				err = x.perform(ctx, e, t.Length())
			}
			ended = time.Now()
			return err
		})
	}()
	return func(r *weir.TrialResult) {
		err := <-done
		if !r.Start.IsZero() {
			start = r.Start // the first frame
		}
		r.Happened = happened(t, began.Sub(start), ended.Sub(start), err)
	}, nil
}

// happened is what became of the event of a trial. One that came when no frames
// were sent any more has not happened: nobody could see what it does.
func happened(t weir.Trial, began, ended time.Duration, err error) *weir.Happened {
	h := &weir.Happened{Began: began, Ended: ended}
	switch {
	case err != nil:
		h.Error = err.Error()
	case began >= t.Length():
		h.Error = fmt.Sprintf("it came %v after the start, and the trial ended after %v", began.Round(time.Microsecond), t.Length())
	}
	return h
}

// perform does it, on the calling thread, with the priority that is right. The
// trial has a length.
func (x *executor) perform(ctx context.Context, e event, length time.Duration) error {
	if e.limit > 0 {
		limit := length + e.limit
		limited, cancel := context.WithTimeoutCause(ctx, limit,
			fmt.Errorf("it had not ended %v after it began and was killed: it has to end by itself, start in the background what goes on", limit))
		defer cancel()
		ctx = limited
	}
	if !e.work {
		return e.run(ctx)
	}
	if err := netif.Ordinary([]int{0}); err != nil {
		return err
	}
	err := e.run(ctx)
	if prefer := netif.PreferToAll(); err == nil {
		err = prefer
	}
	return err
}

// resetInterface resets what forwards: all of the DUT's ports go down and come
// up again, with the addresses, neighbours and routes that they had.
func (l *netnsLab) resetInterface(ctx context.Context) error {
	if err := l.bed.ResetPorts(); err != nil {
		return err
	}
	// What undoes this is there already, from when the lab was opened.
	if _, err := l.platform.Forward(ctx, l.bed.DUT(), l.setup); err != nil {
		return err
	}
	if l.routes == nil {
		return nil // or what a daemon has learnt: that is its business
	}
	return l.routes.add(ctx)
}

// resetForwarding takes the DUT for a host for a moment.
func (l *netnsLab) resetForwarding(ctx context.Context) error {
	for _, value := range []string{"0", "1"} {
		for _, file := range []string{"/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"} {
			if err := l.bed.DUT().Host.WriteFile(ctx, file, value); err != nil {
				return err
			}
		}
	}
	return nil
}
