package tester

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/xdp"
)

// Where the ports of a tester are at two machines, each has an XDP of its own, and a trial
// in one direction has an Outgoing at the machine that sends; the other machine is told
// of it before (Expect), and says what came (Await). OneWay.Result puts the two together.

// Announcement is what who receives the frames of a trial has to know of them before they
// are sent. The times are on the sender's clock, as those in the frames are.
type Announcement struct {
	Mark    uint8           `json:"mark"` // of the frames, 1-255
	Grid    xdp.Grid        `json:"grid"`
	Tags    xdp.Tags        `json:"tags"`
	Tagged  int             `json:"tagged,omitempty"`
	Windows int             `json:"windows,omitempty"` // that are counted apart at most
	Begins  []time.Duration `json:"begins,omitempty"`  // of these
	Back    uint32          `json:"back,omitempty"`    // of how many frames of a stream one is to be sent back; 0: of none
}

func (a Announcement) watch(trial weir.Trial) watch {
	return watch{grid: a.Grid, tags: a.Tags, tagged: a.Tagged, variation: trial.Variation, windows: a.Windows, begins: a.Begins, back: a.Back}
}

// Departure is what the sender of a trial knows of it.
type Departure struct {
	Backend string        `json:"backend"`
	Sent    []xdp.Sent    `json:"sent"`
	Left    tally         `json:"left"` // by the driver's counters
	Ago     time.Duration `json:"ago"`  // how long ago the first frame was sent
	// RoundTrip is how long frames took that were sent back, to where they came from.
	RoundTrip weir.Histogram `json:"round_trip"`
	Warnings  []weir.Warning `json:"warnings,omitempty"`
	// Unsent says why none of the frames left: with the next attempt they are sent in
	// another way.
	Unsent string `json:"unsent,omitempty"`
}

// Outgoing is a trial in one direction that a tester is ready to send.
type Outgoing struct {
	tester *XDP
	trial  weir.Trial
	back   *backend
	watch  watch
	before tally
	orders []xdp.Order
	mark   uint8 // of its frames: another trial may be received here meanwhile
	sent   []xdp.Sent
}

// Prepare loads the senders of a trial, and sends its learning frames. What is announced
// has no times yet.
func (t *XDP) Prepare(ctx context.Context, trial weir.Trial) (*Outgoing, Announcement, error) {
	o := &Outgoing{tester: t, trial: trial, back: choose(trial.Traffic, t.missing)}
	err := t.check(trial)
	if err == nil {
		o.watch, err = t.watching(trial)
	}
	if err != nil {
		return nil, Announcement{}, err
	}
	err = t.load(trial, o.back)
	if unsupported := (*weir.UnsupportedError)(nil); o.back == live && errors.As(err, &unsupported) {
		t.missing, o.back = err, packet
		err = t.load(trial, o.back)
	}
	if err == nil && trial.Waits.Learning > 0 {
		err = t.learn(ctx, trial)
	}
	return o, o.announced(), err
}

func (o *Outgoing) announced() Announcement {
	w := o.watch
	return Announcement{Grid: w.grid, Tags: w.tags, Tagged: w.tagged, Windows: w.windows, Begins: w.begins}
}

// Order settles when the frames leave, on the clock of xdp.Now, and how they are marked.
// Where some are to be sent back the receivers here await them from now on: nothing else
// can be received here then.
func (o *Outgoing) Order(at time.Duration, mark uint8, back uint32) (a Announcement, err error) {
	t := o.tester
	if o.before, err = t.counters(o.trial, o.back); err != nil {
		return a, err
	}
	t.trial, o.mark = mark, mark
	if back > 0 {
		t.trial = mark - 1 // and it goes on from there
		if err := t.reset(watch{}); err != nil {
			return a, err
		}
	}
	o.watch.grid.Start = at
	o.orders = orders(o.trial, o.watch.grid, t.hands(o.trial))
	for i := range o.orders {
		o.orders[i].Start = at
	}
	if len(o.trial.Windows) > 0 {
		o.watch.begins = o.orders[0].Begins()
	}
	a = o.announced()
	a.Mark, a.Back = mark, back
	return a, nil
}

// Send sends the frames. It is an error when the time to begin is over.
func (o *Outgoing) Send(ctx context.Context) (err error) {
	if late := xdp.Now() - o.orders[0].Start; late > 0 {
		return fmt.Errorf("the frames were to leave %v ago: the receiver took that long to get ready", late)
	}
	if err = pause(ctx, o.orders[0].Start-xdp.Now()-lead); err != nil {
		return err
	}
	o.sent, err = o.tester.send(ctx, o.orders, o.mark)
	return err
}

// Departed says what was sent, when so many frames have arrived at the receiver, which has
// sent so many back. These are waited for, at most for the trial's residual time.
func (o *Outgoing) Departed(ctx context.Context, arrived, back uint64) (d Departure, err error) {
	t := o.tester
	d = Departure{Backend: o.back.name, Sent: o.sent}
	if d.RoundTrip, err = t.returned(ctx, o.trial, back); err != nil {
		return d, err
	}
	if o.back == live && arrived == 0 {
		err := t.noneLeft(o.before, o.trial, o.sent)
		if unsupported := (*weir.UnsupportedError)(nil); errors.As(err, &unsupported) {
			t.missing, d.Unsent = err, err.Error()
		} else if err != nil {
			return d, err
		}
	}
	if d.Left, err = t.countersSince(o.before, o.trial, o.back, o.sent); err != nil {
		return d, err
	}
	if first, some := began(o.sent); some {
		d.Ago = xdp.Now() - first
	}
	if o.back == packet && choose(o.trial.Traffic, nil) == live {
		d.Warnings = weir.AddWarning(d.Warnings, slow(t.missing))
	}
	return d, nil
}

// Frames is how many frames of the trial were handed to the driver.
func (o *Outgoing) Frames() (n uint64) {
	for _, s := range o.sent {
		n += s.Frames
	}
	return n
}
