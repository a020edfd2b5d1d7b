package tester

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/netif"
	"weir/internal/xdp"
)

// XDPConfig says where an XDP tester stands.
type XDPConfig struct {
	Namespace *netif.Namespace
	Ports     []weir.Port // the tester's ports with the DUT behind them: pair p is port 2p and 2p+1
	Self      *weir.Port  // a link from the tester to itself, for bypassing the DUT; nil: none
	CPUs      weir.CPUs
	Verify    bool // check the transport checksum of every received frame
	// Elsewhere are those of the ports that another machine has, where the frames of
	// these arrive; nil: all ports are here.
	Elsewhere func(port int) bool
	// RoundTrip has the ports time frames that come back to them (Outgoing.Order).
	RoundTrip bool
	// Forwarding are the threads in which the DUT forwards, as they are now, for
	// the windows in which others kept them from their CPUs; nil: nobody knows.
	Forwarding func() []int
	// Sessions are the PPPoE sessions that are open between port 0 and the DUT, for trials
	// whose frames go through some: the same list while they are the same, which must not
	// be changed; nil: there are none.
	Sessions func() []frame.Session
	// Accompany, if there, does what a trial asks besides frames: its event, its
	// probe. It is called right before they are sent, but for learning frames
	// and trials that bypass the DUT; the first one leaves some milliseconds
	// later, up to 100 as a rule. What it returns, nil or not, is called once, when
	// sending has ended and residual frames were awaited or the trial has broken
	// off. The result has its Start by then, zero when nothing was sent, and the
	// rest of it is added to what finish sets. A trial that is attempted again in
	// another way is accompanied again.
	Accompany func(context.Context, weir.Trial) (finish func(*weir.TrialResult), err error)
}

// XDP is the tester that receives in the driver. It sends live frames, and
// where these cannot be had, or are too small for the trial, through packet
// sockets.
type XDP struct {
	config    XDPConfig
	receivers []*xdp.Receiver // by port
	self      *xdp.Receiver
	index     []int // of the ports
	selfIndex int
	missing   error           // why there are no live frames, nil while there are
	preempted *xdp.Preemption // nil: not yet, or it cannot be known here
	loaded    senders
	opened    *[]frame.Session // of the trial before; nil: none yet
	unopened  *[]frame.Session // of the one before that bypassed the DUT
	trial     uint8            // marks the frames of a trial, 1-255
}

// How many learning frames each port sends, and how fast.
const (
	learningFrames = 10
	learningRate   = 1000.0 // frames/s
)

// OpenXDP attaches receivers to all ports. The ports have to be up. Trials at one
// without native XDP have a warning.
func OpenXDP(c XDPConfig) (*XDP, error) {
	t := &XDP{config: c, missing: xdp.ProbeLiveFrames(), receivers: make([]*xdp.Receiver, len(c.Ports))}
	all := append(slices.Clone(t.receivers), t.self)
	virtual, err := t.virtual()
	if err != nil {
		return nil, err
	}
	err = atOnce(len(all), func(i int) (err error) {
		if i < len(c.Ports) && t.elsewhere(i) || i == len(c.Ports) && c.Self == nil {
			return nil
		}
		all[i], err = xdp.LoadReceiver(xdp.ReceiverOptions{Verify: c.Verify, Offloaded: virtual[i], RoundTrip: c.RoundTrip})
		return err
	})
	if copy(t.receivers, all); c.Self != nil {
		t.self = all[len(c.Ports)]
	}
	if err == nil {
		err = c.Namespace.Do(t.attach)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// virtual reports which of the ports that are here are ends of virtual links; the last is
// the link to the tester itself.
func (t *XDP) virtual() ([]bool, error) {
	virtual := make([]bool, len(t.config.Ports)+1)
	err := t.config.Namespace.Do(func() (err error) {
		for i, p := range t.config.Ports {
			if t.elsewhere(i) {
				continue
			}
			if virtual[i], err = netif.Virtual(p.Tester); err != nil {
				return err
			}
		}
		if t.config.Self != nil {
			virtual[len(t.config.Ports)], err = netif.Virtual(t.config.Self.DUT)
		}
		return err
	})
	return virtual, err
}

// attach attaches the receivers to their ports, of the calling thread's namespace.
func (t *XDP) attach() (err error) {
	for i, p := range t.config.Ports {
		if t.elsewhere(i) {
			t.index = append(t.index, 0)
			continue
		}
		index, err := netif.Index(p.Tester)
		if err != nil {
			return err
		}
		if err := t.receivers[i].Attach(index); err != nil {
			return fmt.Errorf("port %s: %w", p.Tester, err)
		}
		t.index = append(t.index, index)
	}
	if t.self == nil {
		return nil
	}
	if t.selfIndex, err = netif.Index(t.config.Self.Tester); err != nil {
		return err
	}
	far, err := netif.Index(t.config.Self.DUT)
	if err != nil {
		return err
	}
	return t.self.Attach(far)
}

// atOnce does n things at the same time, and returns what went wrong with the first
// of those with which anything did.
func atOnce(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Measure performs one trial (RFC 2544 section 23, phases b to e); it is a
// weir.Measurer. When ctx ends, the sending ends; then the result beside the
// context's error is right about the frames that were sent until then.
func (t *XDP) Measure(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
	if err := t.check(trial); err != nil {
		return weir.TrialResult{}, err
	}
	b := choose(trial.Traffic, t.missing)
	r, err := t.attempt(ctx, trial, b)
	if unsupported := (*weir.UnsupportedError)(nil); b == live && errors.As(err, &unsupported) && ctx.Err() == nil {
		b = packet
		r, err = t.instead(ctx, trial, err)
	}
	if err != nil {
		return weir.TrialResult{}, err
	}
	if b == packet && choose(trial.Traffic, nil) == live {
		r.Warnings = weir.AddWarning(r.Warnings, slow(t.missing))
	}
	for _, w := range t.Slow(trial) {
		r.Warnings = weir.AddWarning(r.Warnings, w)
	}
	return r, ctx.Err() // one that was cut short is no trial
}

// instead performs a trial through packet sockets when live frames are missing
// for the given reason, and keeps to that from then on if they serve. Where they were
// handed no frame, this process had no CPU in all of the trial: that is not their fault.
func (t *XDP) instead(ctx context.Context, trial weir.Trial, missing error) (weir.TrialResult, error) {
	r, err := t.attempt(ctx, trial, packet)
	if handed := !r.Start.IsZero(); err != nil || handed && r.Offered == 0 {
		return r, errors.Join(missing, err)
	}
	t.missing = missing
	return r, nil
}

// attempt performs a trial with one back end. It is a *weir.UnsupportedError
// when that cannot send here.
func (t *XDP) attempt(ctx context.Context, trial weir.Trial, b *backend) (weir.TrialResult, error) {
	w, err := t.watching(trial)
	if err != nil {
		return weir.TrialResult{}, err
	}
	if err := t.load(trial, b); err != nil {
		return weir.TrialResult{}, err
	}
	if trial.Waits.Learning > 0 {
		if err := t.learn(ctx, trial); err != nil {
			return weir.TrialResult{}, err
		}
	}
	if err := t.watch(trial, w); err != nil {
		return weir.TrialResult{}, err
	}
	before, err := t.counters(trial, b)
	if err != nil {
		return weir.TrialResult{}, err
	}
	r := weir.TrialResult{Trial: trial, Backend: b.name}
	sent, err := t.accompanied(ctx, &r, func() ([]xdp.Sent, error) {
		return t.exchange(ctx, trial, b, &w, before)
	})
	if err != nil {
		return weir.TrialResult{}, err
	}
	left, err := t.countersSince(before, trial, b, sent)
	if err != nil {
		return weir.TrialResult{}, err
	}
	came, err := t.arrival(trial, len(w.begins))
	if err != nil {
		return weir.TrialResult{}, err
	}
	result(&r, b, sent, left, came)
	saw(&r, w, sent, came)
	return r, nil
}

// accompanied sends with whatever accompanies the trial of r.
func (t *XDP) accompanied(ctx context.Context, r *weir.TrialResult, exchange func() ([]xdp.Sent, error)) ([]xdp.Sent, error) {
	var finish func(*weir.TrialResult)
	if t.config.Accompany != nil && !r.Trial.Bypass {
		var err error
		if finish, err = t.config.Accompany(ctx, r.Trial); err != nil {
			return nil, err
		}
	}
	sent, err := exchange()
	when(r, sent)
	if finish != nil {
		finish(r)
	}
	return sent, err
}

// exchange sends the frames of a trial and awaits them. The watch's grid
// begins then.
func (t *XDP) exchange(ctx context.Context, trial weir.Trial, b *backend, w *watch, before tally) ([]xdp.Sent, error) {
	if err := t.watchThreads(trial); err != nil { // which takes a tenth of a second the first time
		return nil, err
	}
	w.grid.Start = xdp.Now()
	asked := orders(trial, w.grid, t.hands(trial))
	if len(trial.Windows) > 0 {
		w.begins = asked[0].Begins()
	}
	if err := t.reset(*w); err != nil {
		return nil, err
	}
	sent, err := t.send(ctx, asked, t.trial)
	if err != nil {
		return sent, err
	}
	if b == live {
		if err := t.noneLeft(before, trial, sent); err != nil {
			return sent, err
		}
	}
	return sent, t.awaitResidual(ctx, trial, sent)
}

// learn sends a few frames in every direction of the traffic, so that the DUT
// resolves its neighbours before frames count, and waits.
func (t *XDP) learn(ctx context.Context, trial weir.Trial) error {
	wait := trial.Waits.Learning
	if !trial.Maximum {
		trial.Intended = learningRate
	}
	whole := grid(trial) // what the senders were loaded for
	trial.Count, trial.Then, trial.Windows, trial.Traffic.Burst = learningFrames, nil, nil, 0
	if _, err := t.send(ctx, orders(trial, whole, t.hands(trial)), t.trial); err != nil {
		return fmt.Errorf("send learning frames: %w", err)
	}
	return pause(ctx, wait)
}

// reset makes all receivers expect the frames of the next trial.
func (t *XDP) reset(w watch) error {
	t.trial++
	if t.trial == 0 {
		t.trial = 1
	}
	for _, r := range t.allReceivers() {
		expected := xdp.Expected{Trial: t.trial, Grid: w.grid, Tags: w.tags, Windows: w.begins, Ahead: w.ahead, Back: w.back}
		if err := r.Reset(expected); err != nil {
			return err
		}
	}
	return nil
}

// allReceivers are those that are here.
func (t *XDP) allReceivers() []*xdp.Receiver {
	return slices.DeleteFunc(append(slices.Clone(t.receivers), t.self), func(r *xdp.Receiver) bool { return r == nil })
}

// elsewhere reports whether another machine has a port.
func (t *XDP) elsewhere(port int) bool { return t.config.Elsewhere != nil && t.config.Elsewhere(port) }

// Close unloads the senders and detaches the receivers.
func (t *XDP) Close() error {
	err := t.unload()
	if t.preempted != nil {
		err = errors.Join(err, t.preempted.Close())
	}
	for _, r := range t.allReceivers() { // that could be loaded
		err = errors.Join(err, r.Close())
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
