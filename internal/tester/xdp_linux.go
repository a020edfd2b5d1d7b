package tester

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/xdp"
)

// XDPConfig says where an XDP tester stands.
type XDPConfig struct {
	Namespace *netif.Namespace
	Ports     [2]weir.Port // the tester's ports with the DUT behind them
	Self      *weir.Port   // a link from the tester to itself, for bypassing the DUT; nil: none
	CPUs      weir.CPUs
	Verify    bool // check the transport checksum of every received frame
}

// XDP is the tester that receives in the driver. It sends live frames, and
// where these cannot be had, or are too small for the trial, through packet
// sockets.
type XDP struct {
	config    XDPConfig
	receivers [2]*xdp.Receiver // by port
	self      *xdp.Receiver
	index     [2]int // of the ports
	selfIndex int
	missing   error // why there are no live frames, nil while there are
	loaded    senders
	trial     uint8 // marks the frames of a trial, 1-255
}

// How many learning frames each port sends, and how fast.
const (
	learningFrames = 10
	learningRate   = 1000.0 // frames/s
)

// OpenXDP attaches receivers to all ports. The ports have to be up. A port
// without native XDP is a *weir.UnsupportedError.
func OpenXDP(c XDPConfig) (*XDP, error) {
	t := &XDP{config: c, missing: xdp.ProbeLiveFrames()}
	receiving := xdp.ReceiverOptions{Verify: c.Verify}
	err := c.Namespace.Do(func() (err error) {
		for i, p := range c.Ports {
			if t.index[i], err = netif.Index(p.Tester); err != nil {
				return err
			}
			if t.receivers[i], err = xdp.NewReceiver(t.index[i], receiving); err != nil {
				return fmt.Errorf("port %s: %w", p.Tester, err)
			}
		}
		if c.Self == nil {
			return nil
		}
		if t.selfIndex, err = netif.Index(c.Self.Tester); err != nil {
			return err
		}
		far, err := netif.Index(c.Self.DUT)
		if err != nil {
			return err
		}
		t.self, err = xdp.NewReceiver(far, receiving)
		return err
	})
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
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
	return r, ctx.Err() // one that was cut short is no trial
}

// instead performs a trial through packet sockets when live frames are missing
// for the given reason, and keeps to that from then on if they serve.
func (t *XDP) instead(ctx context.Context, trial weir.Trial, missing error) (weir.TrialResult, error) {
	r, err := t.attempt(ctx, trial, packet)
	if err != nil || r.Offered == 0 {
		return r, errors.Join(missing, err)
	}
	t.missing = missing
	return r, nil
}

// attempt performs a trial with one back end. It is a *weir.UnsupportedError
// when that cannot send here.
func (t *XDP) attempt(ctx context.Context, trial weir.Trial, b *backend) (weir.TrialResult, error) {
	if err := t.load(trial, b); err != nil {
		return weir.TrialResult{}, err
	}
	if trial.Waits.Learning > 0 {
		if err := t.learn(ctx, trial); err != nil {
			return weir.TrialResult{}, err
		}
	}
	if err := t.reset(); err != nil {
		return weir.TrialResult{}, err
	}
	before, err := t.counters(trial, b)
	if err != nil {
		return weir.TrialResult{}, err
	}
	sent, err := t.send(ctx, trial, trial.Frames()/uint64(trial.Traffic.Ports())*uint64(directions(trial)))
	if err != nil {
		return weir.TrialResult{}, err
	}
	if b == live {
		if err := t.noneLeft(before, trial, sent); err != nil {
			return weir.TrialResult{}, err
		}
	}
	if err := t.awaitResidual(ctx, trial, sent); err != nil {
		return weir.TrialResult{}, err
	}
	left, err := t.countersSince(before, trial, b, sent)
	if err != nil {
		return weir.TrialResult{}, err
	}
	return t.result(trial, b, sent, left)
}

func (t *XDP) check(trial weir.Trial) error {
	if trial.Duration <= 0 {
		return errors.New("a trial needs a duration")
	}
	if trial.Intended <= 0 && !trial.Maximum {
		return errors.New("a trial needs an intended load")
	}
	if len(trial.Traffic.Sizes) == 0 {
		return errors.New("a trial needs a frame size")
	}
	ports := t.config.Ports[:]
	if trial.Bypass {
		if t.self == nil {
			return errors.New("this testbed has no link that bypasses the DUT")
		}
		ports = []weir.Port{*t.config.Self}
	}
	for _, size := range trial.Traffic.Sizes {
		for _, p := range ports {
			if payload := int(size) - 18; payload > p.MTU {
				return fmt.Errorf("frames of %d octets need an MTU of %d; port %s has %d", size, payload, p.Tester, p.MTU)
			}
		}
	}
	return nil
}

// learn sends a few frames in every direction of the traffic, so that the DUT
// resolves its neighbours before frames count, and waits.
func (t *XDP) learn(ctx context.Context, trial weir.Trial) error {
	wait := trial.Waits.Learning
	if !trial.Maximum {
		trial.Intended = learningRate
	}
	trial.Duration = time.Duration(learningFrames / learningRate * float64(time.Second))
	if _, err := t.send(ctx, trial, learningFrames*uint64(directions(trial))); err != nil {
		return fmt.Errorf("send learning frames: %w", err)
	}
	return pause(ctx, wait)
}

func (t *XDP) reset() error {
	t.trial++
	if t.trial == 0 {
		t.trial = 1
	}
	for _, r := range t.allReceivers() {
		if err := r.Reset(t.trial); err != nil {
			return err
		}
	}
	return nil
}

func (t *XDP) allReceivers() []*xdp.Receiver {
	var all []*xdp.Receiver
	for _, r := range append(t.receivers[:], t.self) {
		if r != nil {
			all = append(all, r)
		}
	}
	return all
}

// Close unloads the senders and detaches the receivers.
func (t *XDP) Close() error {
	err := t.unload()
	for _, r := range t.allReceivers() {
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
