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

// XDP is the tester that sends live frames and receives in the driver.
type XDP struct {
	config    XDPConfig
	receivers [2]*xdp.Receiver // by port
	self      *xdp.Receiver
	index     [2]int // of the ports
	selfIndex int
	loaded    senders
	trial     uint8 // marks the frames of a trial, 1-255
}

// lead is the time from giving the order to the first frame: the kernel needs
// some milliseconds to set a run up.
const lead = 12 * time.Millisecond

// OpenXDP attaches receivers to all ports. The ports have to be up.
func OpenXDP(c XDPConfig) (*XDP, error) {
	t := &XDP{config: c}
	err := c.Namespace.Do(func() (err error) {
		for i, p := range c.Ports {
			if t.index[i], err = netif.Index(p.Tester); err != nil {
				return err
			}
			if t.receivers[i], err = xdp.NewReceiver(t.index[i], c.Verify); err != nil {
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
		t.self, err = xdp.NewReceiver(far, c.Verify)
		return err
	})
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Measure performs one trial (RFC 2544 section 23, phases b to e).
func (t *XDP) Measure(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
	if err := t.check(trial); err != nil {
		return weir.TrialResult{}, err
	}
	senders, err := t.load(trial)
	if err != nil {
		return weir.TrialResult{}, err
	}
	if trial.Waits.Learning > 0 {
		if err := t.learn(ctx, trial, senders); err != nil {
			return weir.TrialResult{}, err
		}
	}
	if err := t.reset(); err != nil {
		return weir.TrialResult{}, err
	}
	before, err := t.counters(trial.Bypass)
	if err != nil {
		return weir.TrialResult{}, err
	}
	sent, err := t.send(ctx, trial, senders)
	if err != nil {
		return weir.TrialResult{}, err
	}
	if err := t.awaitResidual(ctx, trial, sent); err != nil {
		return weir.TrialResult{}, err
	}
	after, err := t.counters(trial.Bypass)
	if err != nil {
		return weir.TrialResult{}, err
	}
	result, err := t.result(trial, sent, after.minus(before))
	if err != nil {
		return weir.TrialResult{}, err
	}
	return result, pause(ctx, trial.Waits.Settle)
}

func (t *XDP) check(trial weir.Trial) error {
	if trial.Duration <= 0 {
		return errors.New("a trial needs a duration")
	}
	if trial.Intended <= 0 && !trial.Maximum {
		return errors.New("a trial needs an intended load")
	}
	if trial.Bypass && t.self == nil {
		return errors.New("this testbed has no link that bypasses the DUT")
	}
	for _, size := range trial.Traffic.Sizes {
		for _, p := range t.config.Ports {
			if payload := int(size) - 18; payload > p.MTU {
				return fmt.Errorf("frames of %d octets need an MTU of %d; port %s has %d", size, payload, p.Tester, p.MTU)
			}
		}
	}
	return nil
}

// learn sends a few frames in every direction of the traffic, so that the DUT
// resolves its neighbours before frames count, and waits.
func (t *XDP) learn(ctx context.Context, trial weir.Trial, s *senderSet) error {
	trial.Intended, trial.Maximum = 1000, false
	trial.Duration = 10 * time.Millisecond
	if _, err := t.send(ctx, trial, s); err != nil {
		return fmt.Errorf("send learning frames: %w", err)
	}
	return pause(ctx, trial.Waits.Learning)
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

// listening are the receivers of the trial's directions, by direction.
func (t *XDP) listening(trial weir.Trial) []*xdp.Receiver {
	switch {
	case trial.Bypass:
		return []*xdp.Receiver{t.self}
	case trial.Traffic.Bidirectional:
		return []*xdp.Receiver{t.receivers[1], t.receivers[0]}
	}
	return []*xdp.Receiver{t.receivers[1]}
}

// awaitResidual waits for frames that are still under way, until all are back
// or the wait is over (RFC 2544 section 23 d).
func (t *XDP) awaitResidual(ctx context.Context, trial weir.Trial, sent []xdp.Sent) error {
	var want uint64
	for _, s := range sent {
		want += s.Frames
	}
	for end := time.Now().Add(trial.Waits.Residual); time.Now().Before(end); {
		var got uint64
		for _, r := range t.listening(trial) {
			n, err := r.Count()
			if err != nil {
				return err
			}
			got += n
		}
		if got >= want {
			return nil
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return nil // what was measured counts
		}
	}
	return nil
}

// Close detaches everything.
func (t *XDP) Close() error {
	t.loaded.Close()
	var err error
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
