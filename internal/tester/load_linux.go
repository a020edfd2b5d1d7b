package tester

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/xdp"
)

// lead is the time that several threads have for getting ready, so that they
// begin together. One alone begins when it is ready.
const lead = 30 * time.Millisecond

// perDirection is the number of stream identities of one direction: thread n
// sends stream n forward and perDirection + n in reverse.
const perDirection = xdp.Streams / 2

// senders are loaded for one kind of traffic, one for each sending CPU. They
// are kept for the next trial, because trials of one search differ in their
// rate only.
type senders struct {
	key     string
	threads []sender
}

func (s *senders) Close() error {
	var err error
	for _, t := range s.threads {
		err = errors.Join(err, t.Close())
	}
	*s = senders{}
	return err
}

// load makes senders of the back end for the trial's traffic.
func (t *XDP) load(trial weir.Trial, b *backend) error {
	traffic, err := json.Marshal(trial.Traffic)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s %s %v %v", b.name, traffic, trial.Maximum, trial.Bypass)
	if t.loaded.key == key {
		return nil
	}
	if err := t.unload(); err != nil {
		return err
	}
	sides, err := t.sides(trial)
	if err != nil {
		return err
	}
	err = t.config.Namespace.Do(func() error {
		for range t.config.CPUs.Generator {
			s, err := b.open(sides, !trial.Maximum)
			if err != nil {
				return err
			}
			t.loaded.threads = append(t.loaded.threads, s)
		}
		// The near end of the tester's own link has no other program.
		if g, ok := t.loaded.threads[0].(*xdp.Generator); ok && t.config.Self != nil {
			return g.Anchor(t.selfIndex)
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, t.unload())
	}
	t.loaded.key = key
	return nil
}

// unload ends what load made, in the namespace of its ports.
func (t *XDP) unload() error { return t.config.Namespace.Do(t.loaded.Close) }

// sides are the ports that the trial sends through, with their frames.
func (t *XDP) sides(trial weir.Trial) ([]xdp.Side, error) {
	if trial.Bypass {
		side, err := newSide(trial.Traffic, trial.Traffic.Forward, *t.config.Self, t.selfIndex)
		return []xdp.Side{side}, err
	}
	streams := []weir.Stream{trial.Traffic.Forward}
	if trial.Traffic.Bidirectional {
		streams = append(streams, trial.Traffic.Reverse)
	}
	var sides []xdp.Side
	for i, stream := range streams {
		side, err := newSide(trial.Traffic, stream, t.config.Ports[i], t.index[i])
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	return sides, nil
}

func newSide(traffic weir.Traffic, stream weir.Stream, port weir.Port, index int) (xdp.Side, error) {
	from, err := net.ParseMAC(port.TesterMAC)
	if err != nil {
		return xdp.Side{}, err
	}
	to, err := net.ParseMAC(port.DUTMAC)
	if err != nil {
		return xdp.Side{}, err
	}
	b, err := frame.NewBuilder(traffic, stream, from, to)
	return xdp.Side{Frames: b, Port: index}, err
}

// send runs all senders at once and returns what each sent: limit frames
// together, or, when that is 0, as many as they can in the trial's duration.
func (t *XDP) send(ctx context.Context, trial weir.Trial, limit uint64) ([]xdp.Sent, error) {
	n := uint64(len(t.loaded.threads))
	rate := 0.0
	if !trial.Maximum {
		rate = trial.Intended * float64(directions(trial)) / float64(n)
	}
	start := xdp.Now()
	if n > 1 {
		start += lead
	}
	sent, errs := make([]xdp.Sent, n), make([]error, n)
	var wg sync.WaitGroup
	for i, s := range t.loaded.threads {
		order := xdp.Order{
			Streams: [2]uint8{uint8(i), uint8(perDirection + i)}, Trial: t.trial,
			Rate: rate, Start: start, Duration: trial.Duration, CPU: t.config.CPUs.Generator[i],
		}
		if rate > 0 {
			order.Phase = time.Duration(float64(i) / float64(n) / rate * float64(time.Second))
		}
		if limit > 0 {
			order.Frames = limit / n
			if uint64(i) < limit%n {
				order.Frames++
			}
			if order.Frames == 0 {
				continue // fewer frames than threads
			}
		}
		wg.Go(func() { sent[i], errs[i] = s.Run(ctx, order) })
	}
	wg.Wait()
	return sent, errors.Join(errs...)
}

// directions is how many ports of the tester a trial sends through.
func directions(trial weir.Trial) int {
	if trial.Bypass {
		return 1
	}
	return trial.Traffic.Ports()
}
