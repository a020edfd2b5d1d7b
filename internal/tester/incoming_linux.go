package tester

import (
	"context"
	"time"

	"weir"
	"weir/internal/xdp"
)

// Expect makes the receivers of a trial keep what it wants to know. It may take as long as
// a short trial.
func (t *XDP) Expect(trial weir.Trial, a Announcement) error { return t.watch(trial, a.watch(trial)) }

// Listen has the receivers count the frames that are announced from now on. The clock here
// is ahead of the sender's by so much, as far as that is known.
func (t *XDP) Listen(trial weir.Trial, a Announcement, ahead time.Duration) error {
	t.trial = a.Mark - 1 // and it goes on from there
	w := a.watch(trial)
	w.ahead = ahead
	return t.reset(w)
}

// Await waits until so many frames have arrived, at most for a trial's residual time, and
// says what came.
func (t *XDP) Await(ctx context.Context, trial weir.Trial, frames uint64, a Announcement) (Arrival, error) {
	if err := t.awaitResidual(ctx, trial, []xdp.Sent{{Frames: frames}}); err != nil {
		return Arrival{}, err
	}
	came, err := t.arrival(trial, len(a.Begins))
	for _, receiver := range t.listening(trial) {
		var n uint64
		if n, err = receiver.Back(); err != nil {
			break
		}
		came.SentBack += n
	}
	return came, err
}

// returned is how long the frames took that were sent from here and back: so many, or as
// many as have come when the trial's residual time is over.
func (t *XDP) returned(ctx context.Context, trial weir.Trial, back uint64) (all weir.Histogram, err error) {
	for end := time.Now().Add(trial.Waits.Residual); back > 0; time.Sleep(time.Millisecond) {
		all = weir.Histogram{}
		for _, receiver := range t.allReceivers() {
			h, err := receiver.RoundTrip()
			if err != nil {
				return all, err
			}
			all.Merge(h)
		}
		if all.N >= back || ctx.Err() != nil || !time.Now().Before(end) {
			break
		}
	}
	return all, ctx.Err()
}

// Slow are the warnings of receivers that are attached behind their drivers.
func (t *XDP) Slow(trial weir.Trial) (all []weir.Warning) {
	for i, own := range t.receivers {
		if own != nil && own.Generic() && !trial.Bypass {
			all = weir.AddWarning(all, behindDriver(t.config.Ports[i].Tester, own.Refused()))
		}
	}
	return all
}

// Now is the clock that frames are stamped with.
func Now() time.Duration { return xdp.Now() }

// OneWay is a trial in one direction, of which one machine sent the frames and another
// received them.
type OneWay struct {
	Trial     weir.Trial
	Announced Announcement
	Departed  Departure
	Arrived   Arrival
}

// Result is what came of it, but for when it began. What is not of this trial is an error.
func (o OneWay) Result() (weir.TrialResult, error) {
	if err := o.check(); err != nil {
		return weir.TrialResult{Trial: o.Trial}, err
	}
	b, d := live, o.Departed
	if d.Backend == packet.name {
		b = packet
	}
	r := weir.TrialResult{Trial: o.Trial, Backend: d.Backend, RoundTrip: d.RoundTrip}
	when(&r, d.Sent)
	result(&r, b, d.Sent, d.Left, o.Arrived)
	saw(&r, o.Announced.watch(o.Trial), d.Sent, o.Arrived)
	for _, w := range d.Warnings {
		r.Warnings = weir.AddWarning(r.Warnings, w)
	}
	if back := o.Arrived.SentBack; back > 0 && d.RoundTrip.N == 0 {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.NoRoundTrips, "of %d frames that the receiving port sent back none came: there are no round trips; has the DUT a route to the addresses that frames come from, and does it let answers through?", back))
	}
	return r, nil
}

// Both is a trial in both directions of which each was measured by itself at the same time.
func Both(trial weir.Trial, forward, reverse weir.TrialResult) weir.TrialResult {
	r := forward
	r.Trial = trial
	r.Sending = max(r.Sending, reverse.Sending)
	r.Offered += reverse.Offered
	r.Received += reverse.Received
	r.Streams = append(r.Streams, reverse.Streams...)
	r.Latency.Merge(reverse.Latency)
	r.Ledger = weir.Balance(r.Offered, r.Received, append(r.Ledger.Drops, reverse.Ledger.Drops...))
	r.Pacing.Batch = max(r.Pacing.Batch, reverse.Pacing.Batch)
	r.Pacing.LongestStall = max(r.Pacing.LongestStall, reverse.Pacing.LongestStall)
	r.Pacing.Stalls += reverse.Pacing.Stalls
	r.Pacing.Paused = max(r.Pacing.Paused, reverse.Pacing.Paused)
	r.Tagged, r.Fates = append(r.Tagged, reverse.Tagged...), append(r.Fates, reverse.Fates...)
	if r.Variation != nil && reverse.Variation != nil {
		r.Variation.Longer.Merge(reverse.Variation.Longer)
		r.Variation.Shorter.Merge(reverse.Variation.Shorter)
	}
	for i, w := range reverse.Windows {
		own := &r.Windows[i]
		own.Sent, own.Received = own.Sent+w.Sent, own.Received+w.Received
		own.PrimeSent, own.PrimeReceived = own.PrimeSent+w.PrimeSent, own.PrimeReceived+w.PrimeReceived
		own.Delay, own.LostRun = max(own.Delay, w.Delay), max(own.LostRun, w.LostRun)
		own.GeneratorGap, own.ReceiverGap = max(own.GeneratorGap, w.GeneratorGap), max(own.ReceiverGap, w.ReceiverGap)
	}
	for _, w := range reverse.Warnings {
		r.Warnings = weir.AddWarning(r.Warnings, w)
	}
	return r
}

// Timeless is a result without what takes a clock that sender and receiver share.
func Timeless(r weir.TrialResult) weir.TrialResult {
	r.Latency, r.Tagged, r.Variation = weir.Histogram{}, nil, nil
	for i := range r.Windows {
		r.Windows[i].Delay = 0
	}
	return r
}
