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

// perDirection is the number of stream identities of one direction: thread n
// sends stream n forward and perDirection + n in reverse.
const perDirection = xdp.Streams / 2

// senderSet are the loaded generators of one kind of traffic, a thread each.
type senderSet struct {
	generators []*xdp.Generator
	anchors    []interface{ Close() error }
}

// senders keeps the generators of the last kind of traffic, because trials of
// one search differ in their rate only.
type senders struct {
	key string
	set *senderSet
}

// Close unloads the generators.
func (s *senders) Close() {
	if s.set == nil {
		return
	}
	for _, g := range s.set.generators {
		g.Close()
	}
	*s = senders{}
}

// load returns generators for the trial's traffic, one for each sending CPU.
func (t *XDP) load(trial weir.Trial) (*senderSet, error) {
	traffic, err := json.Marshal(trial.Traffic)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s %v %v", traffic, trial.Maximum, trial.Bypass)
	if t.loaded.key == key {
		return t.loaded.set, nil
	}
	t.loaded.Close()
	set := &senderSet{}
	sides, err := t.sides(trial)
	if err != nil {
		return nil, err
	}
	for range t.config.CPUs.Generator {
		var g *xdp.Generator
		err := t.config.Namespace.Do(func() (err error) {
			g, err = xdp.NewGenerator(sides, !trial.Maximum)
			return err
		})
		if err != nil {
			t.loaded = senders{set: set}
			t.loaded.Close()
			return nil, err
		}
		set.generators = append(set.generators, g)
	}
	t.loaded = senders{key: key, set: set}
	return set, nil
}

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

// send runs all generators at once and returns what each sent.
func (t *XDP) send(ctx context.Context, trial weir.Trial, s *senderSet) ([]xdp.Sent, error) {
	n := len(s.generators)
	ports := trial.Traffic.Ports()
	if trial.Bypass {
		ports = 1
	}
	start := xdp.Now() + lead
	rate := trial.Intended * float64(ports) / float64(n)
	total := trial.Frames()
	sent, errs := make([]xdp.Sent, n), make([]error, n)
	var wg sync.WaitGroup
	for i, g := range s.generators {
		order := xdp.Order{
			Streams: [2]uint8{uint8(i), uint8(perDirection + i)},
			Trial:   t.trial, Start: start, Duration: trial.Duration, CPU: t.config.CPUs.Generator[i],
		}
		if !trial.Maximum {
			order.Rate = rate
			order.Phase = time.Duration(float64(i) / float64(n) / rate * float64(time.Second))
			order.Frames = total / uint64(n)
			if uint64(i) < total%uint64(n) {
				order.Frames++
			}
		}
		wg.Go(func() { sent[i], errs[i] = g.Run(ctx, order) })
	}
	wg.Wait()
	return sent, errors.Join(errs...)
}
