package tester

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"

	"weir"
	"weir/frame"
	"weir/internal/xdp"
)

// senders are loaded for one kind of traffic, one for each sending CPU. They
// are kept for the next trial, because trials of one search differ in their
// rate only.
type senders struct {
	key      string
	sessions *[]frame.Session // nil: none
	threads  []sender
}

func (s *senders) Close() error {
	var err error
	for _, t := range s.threads {
		err = errors.Join(err, t.Close())
	}
	*s = senders{}
	return err
}

// open makes a sender for each CPU, in the calling thread's network namespace.
// What there is when one cannot be made is for Close.
func (s *senders) open(b *backend, cpus int, sides []xdp.Side, o xdp.GeneratorOptions) error {
	for range cpus {
		t, err := b.open(sides, o)
		if err != nil {
			return err
		}
		s.threads = append(s.threads, t)
	}
	return nil
}

// run runs the senders at once, one for each order, and returns what each sent.
func (s *senders) run(ctx context.Context, orders []xdp.Order) ([]xdp.Sent, error) {
	sent, errs := make([]xdp.Sent, len(orders)), make([]error, len(orders))
	var wg sync.WaitGroup
	for i, o := range orders {
		wg.Go(func() { sent[i], errs[i] = s.threads[i].Run(ctx, o) })
	}
	wg.Wait()
	return sent, errors.Join(errs...)
}

// load makes senders of the back end for the trial's traffic.
func (t *XDP) load(trial weir.Trial, b *backend) error {
	traffic, err := json.Marshal(trial.Traffic)
	if err != nil {
		return err
	}
	beside, err := json.Marshal(trial.Beside) // each has frames to its own routes
	if err != nil {
		return err
	}
	options := xdp.GeneratorOptions{Paced: !trial.Maximum, Steps: grid(trial).Steps, Loads: room(len(loads(trial)))}
	// What a port's frames are addressed to changes when somebody connects another box.
	key := fmt.Sprintf("%s %s %s %v %v %v %v", b.name, traffic, beside, options, trial.Bypass, t.config.Ports, t.index)
	sessions, err := t.sessions(trial)
	if err != nil {
		return err
	}
	if t.loaded.key == key && t.loaded.sessions == sessions {
		return nil
	}
	if err := t.unload(); err != nil {
		return err
	}
	sides, err := t.sides(trial, listed(sessions))
	if err != nil {
		return err
	}
	err = t.config.Namespace.Do(func() error {
		if err := t.loaded.open(b, len(t.config.CPUs.Generator), sides, options); err != nil {
			return err
		}
		// The near end of the tester's own link has no other program.
		if a, ok := t.loaded.threads[0].(anchored); ok && t.config.Self != nil {
			return a.Anchor(t.selfIndex)
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, t.unload())
	}
	t.loaded.key, t.loaded.sessions = key, sessions
	return nil
}

// unload ends what load made, in the namespace of its ports.
func (t *XDP) unload() error { return t.config.Namespace.Do(t.loaded.Close) }

// sides are the ports that the trial sends through, with their frames.
func (t *XDP) sides(trial weir.Trial, sessions []frame.Session) ([]xdp.Side, error) {
	if trial.Bypass {
		side, err := newSide(trial.Traffic, source(trial, 0), *t.config.Self, t.selfIndex, sessions)
		return []xdp.Side{side}, err
	}
	var all []xdp.Side
	for i := range sides(trial) {
		port := source(trial, i)
		traffic := trial.Traffic
		if arm := port / 2; arm < len(trial.Beside) {
			traffic.Routes = trial.Beside[arm].Routes()
		}
		side, err := newSide(traffic, port, t.config.Ports[port], t.index[port], sessions)
		if err != nil {
			return nil, err
		}
		all = append(all, side)
	}
	return all, nil
}

// newSide is port i, with the frames that leave from there.
func newSide(traffic weir.Traffic, i int, port weir.Port, index int, sessions []frame.Session) (xdp.Side, error) {
	from, err := net.ParseMAC(port.TesterMAC)
	if err != nil {
		return xdp.Side{}, err
	}
	to, err := net.ParseMAC(port.DUTMAC)
	if err != nil {
		return xdp.Side{}, err
	}
	if traffic.Arms > 1 {
		i %= 2 // each arm is a router between the same networks
	}
	b, err := frame.NewPortBuilder(traffic, i, from, to, sessions...)
	return xdp.Side{Frames: b, Port: index}, err
}

// send runs the senders at once, with the mark of the trial in their frames, and returns
// what each sent.
func (t *XDP) send(ctx context.Context, orders []xdp.Order, mark uint8) ([]xdp.Sent, error) {
	for i := range orders {
		orders[i].Trial = mark
	}
	return t.loaded.run(ctx, orders)
}
