package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/tester"
)

const (
	// soon is how long before the first frame both sides are told of a trial, and late
	// how much of that has to be left when they have got ready.
	soon = 500 * time.Millisecond
	late = 150 * time.Millisecond
	// leads is how often that time is doubled before a side is too slow.
	leads = 5
	// aliveLook is how often it is looked whether both sides are there.
	aliveLook = 100 * time.Millisecond
	// together is how far the beginnings of two directions with windows may be apart.
	together = 2 * time.Millisecond
	// giveUpLimit is how long a side may take to end a trial that is given up.
	giveUpLimit = 2 * time.Second
)

// way is one direction of a trial.
type way struct {
	trial     weir.Trial
	from, to  *side
	announced tester.Announcement
	frames    uint64 // that were sent
	arrived   Arrived
	departed  tester.Departure
	start     time.Time
	clocks    [2][2]Reading // of the sender and the receiver, before the trial and after it; none, if PTP says nothing of them
}

// Measure performs one trial; it is a weir.Measurer.
func (t *Tester) Measure(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
	if err := t.refuse(trial); err != nil {
		return weir.TrialResult{}, err
	}
	until, stop := t.watched(ctx)
	defer stop()
	if trial.Bypass {
		r, err := t.bypass(until, trial)
		return r, t.given(ctx, until, err)
	}
	r, unsent, err := t.attempt(until, trial)
	if unsent != "" && err == nil {
		if r, _, err = t.attempt(until, trial); err == nil && r.Offered == 0 {
			err = errors.New(unsent)
		}
	}
	if err != nil {
		r = weir.TrialResult{}
	}
	return r, t.given(ctx, until, err)
}

// given is the error of a trial, after which both sides have given it up. Where a side has
// ended, that is what is wrong.
func (t *Tester) given(ctx, until context.Context, err error) error {
	if err == nil {
		return ctx.Err()
	}
	t.giveUp()
	if why := context.Cause(until); why != nil {
		return why
	}
	return err
}

// bypass measures without the DUT the machine that sends.
func (t *Tester) bypass(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
	s := t.sides[trial.Traffic.Direction()]
	var b bypassed
	err := s.ask(ctx, answerLimit, "bypass", trial, nil)
	for err == nil && !b.Over {
		err = s.ask(ctx, answerLimit, "bypassed", nil, &b)
	}
	if err == nil {
		b.Result.Trial = trial
		if err = tester.CheckAlone(trial, b.Result); err != nil {
			err = fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return b.Result, err
}

// refuse says what of a trial this tester cannot do.
func (t *Tester) refuse(trial weir.Trial) error {
	side := slices.ContainsFunc(trial.Windows, func(w weir.Window) bool { return w.Side != 0 })
	const near = "take a tester whose ports are all of one machine"
	switch tr := trial.Traffic; {
	case trial.Bypass && !t.Alone():
		return errors.New("a tester whose ports stay where they are (isolate: no) has no link that bypasses the DUT")
	case trial.Event != nil || trial.Probe || trial.Profile || trial.Transfer != nil:
		return &weir.UnsupportedError{Feature: "events, probes, profiles and transfers with ports of other machines", Remedy: near}
	case tr.Replay != nil:
		return &weir.UnsupportedError{Feature: "replaying a capture from ports of other machines, which do not have its file,", Remedy: near}
	case side || tr.Arms > 1:
		return &weir.UnsupportedError{Feature: "DUTs side by side at ports of other machines", Remedy: near}
	case tr.Bidirectional && trial.Resolution > 0:
		return &weir.UnsupportedError{Feature: "a timeline of both directions with senders at two machines", Remedy: "measure one direction, or " + near}
	case tr.Bidirectional && len(trial.Windows) > 0 && !t.shared && t.Bound() > together:
		return fmt.Errorf("both directions begin at once to within %v only, as far as it takes to ask the two machines what time it is, which is too long for windows: measure one direction, or reach them by a shorter way", t.Bound())
	case oneWay(trial) && t.discord() != nil:
		return &weir.UnsupportedError{Feature: fmt.Sprintf("latencies one way from %s to %s, whose clocks are not proven to agree (%v),", t.sides[0].name, t.sides[1].name, t.discord()), Remedy: near}
	}
	return nil
}

// watched ends what is done when one of the sides has ended; the cause says which.
func (t *Tester) watched(ctx context.Context) (context.Context, func()) {
	until, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(aliveLook)
		defer tick.Stop()
		for {
			for _, s := range t.sides {
				if err := s.agent.Alive(); err != nil {
					cancel(err)
				}
			}
			select {
			case <-until.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return until, func() { cancel(nil) }
}

// giveUp has the sides end a trial that are there.
func (t *Tester) giveUp() {
	_ = t.both(func(_ int, s *side) error {
		if err := s.agent.Alive(); err != nil {
			return err
		}
		return s.ask(context.Background(), giveUpLimit, "cancel", nil, nil)
	})
}

// ways are the directions of a trial.
func (t *Tester) ways(trial weir.Trial) (all []*way) {
	for direction := range 2 {
		if !trial.Traffic.Bidirectional && direction != trial.Traffic.Direction() {
			continue
		}
		w := &way{trial: trial, from: t.sides[direction], to: t.sides[1-direction]}
		w.trial.Traffic.Bidirectional, w.trial.Traffic.Backward = false, direction == 1
		all = append(all, w)
	}
	return all
}

// each does something for all directions at once.
func each(all []*way, do func(*way) error) error {
	errs := make(chan error, len(all))
	for _, w := range all {
		go func() { errs <- do(w) }()
	}
	var err error
	for range all {
		err = errors.Join(err, <-errs)
	}
	return err
}

// attempt performs a trial. Where no frame left because the way of sending does not work
// there, unsent says so, and the next attempt takes another one.
func (t *Tester) attempt(ctx context.Context, trial weir.Trial) (r weir.TrialResult, unsent string, err error) {
	if t.mark++; t.mark == 0 {
		t.mark = 1
	}
	all := t.ways(trial)
	steps := []func() error{
		func() error {
			return each(all, func(w *way) error {
				return w.from.ask(ctx, trial.Waits.Learning+workLimit, "prepare", w.trial, &w.announced)
			})
		},
		func() error {
			return each(all, func(w *way) error {
				return w.to.ask(ctx, workLimit, "expect", expecting{Trial: w.trial, Announced: w.announced}, nil)
			})
		},
		func() error { return t.readClocks(ctx, all, 0) },
		func() error { return t.getReady(ctx, all) },
		func() error {
			return each(all, func(w *way) error { return w.from.ask(ctx, answerLimit, "send", nil, nil) })
		},
		func() error { return each(all, func(w *way) error { return w.awaitSent(ctx) }) },
		func() error {
			return each(all, func(w *way) error {
				return w.to.ask(ctx, trial.Waits.Residual+workLimit, "await", w.frames, &w.arrived)
			})
		},
		func() error { return t.readClocks(ctx, all, 1) },
		func() error { return each(all, func(w *way) error { return w.askDeparted(ctx) }) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return r, "", err
		}
	}
	for _, w := range all {
		if w.departed.Unsent != "" {
			unsent = w.departed.Unsent
		}
	}
	r, err = t.result(trial, all)
	return r, unsent, err
}

// getReady settles when the frames leave, and has the receivers listen before that.
func (t *Tester) getReady(ctx context.Context, all []*way) error {
	lead := soon
	for range leads {
		if err := t.synchronise(ctx); err != nil {
			return err
		}
		at := now() + lead
		err := each(all, func(w *way) error {
			if err := w.from.ask(ctx, workLimit, "order", ordering{at + w.from.offset, t.mark, t.back(w.trial, len(all))}, &w.announced); err != nil {
				return err
			}
			return w.to.ask(ctx, workLimit, "listen", expecting{w.trial, w.announced, t.ahead(w)}, nil)
		})
		if err != nil || at-now() > late {
			return err
		}
		lead *= 2
	}
	return fmt.Errorf("%s and %s were not ready for a trial within %v: is the way to them that slow?", t.sides[0].name, t.sides[1].name, lead/2)
}

// awaitSent waits until all frames have left, while both sides are there.
func (w *way) awaitSent(ctx context.Context) error {
	for {
		var p progress
		if err := w.from.ask(ctx, answerLimit, "sent", nil, &p); err != nil {
			return err
		}
		if w.frames = p.Frames; p.Over {
			return nil
		}
		if err := w.to.ask(ctx, answerLimit, "look", nil, nil); err != nil {
			return err
		}
	}
}

// askDeparted asks what left.
func (w *way) askDeparted(ctx context.Context) error {
	var arrived uint64
	for _, s := range w.arrived.Arrival.Streams {
		arrived += s.Received
	}
	err := w.from.ask(ctx, w.trial.Waits.Residual+workLimit, "departed", arriving{arrived, w.arrived.Arrival.SentBack}, &w.departed)
	w.start = time.Now().Add(-w.departed.Ago)
	return err
}

// result puts together what the sides say.
func (t *Tester) result(trial weir.Trial, all []*way) (r weir.TrialResult, err error) {
	for i, w := range all {
		one, err := tester.OneWay{Trial: w.trial, Announced: w.announced, Departed: w.departed, Arrived: w.arrived.Arrival}.Result()
		if err != nil {
			return one, fmt.Errorf("%s and %s: %w", w.from.name, w.to.name, err)
		}
		if one.Start = w.start; !t.shared {
			if one, err = w.timed(one); err != nil {
				return one, err
			}
		}
		for _, said := range w.arrived.Warnings {
			one.Warnings = weir.AddWarning(one.Warnings, said)
		}
		if i == 0 {
			r = one
			continue
		}
		r = tester.Both(trial, r, one)
	}
	r.Trial = trial
	return r, nil
}
