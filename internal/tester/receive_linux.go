package tester

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/xdp"
)

// ReceiveConfig says where and how long to listen.
type ReceiveConfig struct {
	Port     string // in this process's network namespace
	Duration time.Duration
	Verify   bool  // check the transport checksum of each frame
	Keep     bool  // pass test frames to the stack too, where a capture sees them
	CPUs     []int // where the port's receive queues run, in threads of their own, one queue after the other on the next; nil: where they are

	Host    weir.Host         // the calling thread's network namespace; CPUs need it
	Journal *settings.Journal // remembers what is changed there; nil: it ends with this process
}

// ReceiveResult is what a single port saw.
type ReceiveResult struct {
	Received  uint64        `json:"received"` // distinct, intact test frames
	Lost      uint64        `json:"lost"`     // between the first and the last one that were seen
	Duplicate uint64        `json:"duplicate"`
	Late      uint64        `json:"late"`
	Corrupt   uint64        `json:"corrupt"`
	Other     uint64        `json:"other"` // frames that were no test frames, and passed to the stack
	Seconds   float64       `json:"seconds"`
	Rate      float64       `json:"rate"` // frames/s between the first and the last
	Latency   *weir.Latency `json:"latency_seconds"`
	Streams   []xdp.Stream  `json:"-"`
}

// Receive counts the test frames of any trial that arrive at one port, until
// the time is over or ctx ends. That the port's queues cannot be served as before
// is an error, too; then the result beside it is right.
func Receive(ctx context.Context, c ReceiveConfig) (result ReceiveResult, err error) {
	if _, err := readyPort(c.Port); err != nil {
		return ReceiveResult{}, err
	}
	index, err := netif.Index(c.Port)
	if err != nil {
		return ReceiveResult{}, err
	}
	r, err := xdp.NewReceiver(index, xdp.ReceiverOptions{Verify: c.Verify, Keep: c.Keep})
	if err != nil {
		return ReceiveResult{}, err
	}
	defer r.Close()
	if len(c.CPUs) > 0 {
		undo := settings.Undo{Journal: c.Journal}
		defer func() { err = errors.Join(err, undo.Run(context.WithoutCancel(ctx))) }()
		if err := c.spread(ctx, &undo); err != nil {
			return ReceiveResult{}, err
		}
	}
	if err := r.Reset(xdp.Expected{}); err != nil {
		return ReceiveResult{}, err
	}
	if err := pause(ctx, c.Duration); err != nil && !errors.Is(err, context.Canceled) {
		return ReceiveResult{}, err
	}
	return received(r)
}

// spread has the receive queues of a port served on the CPUs in turn, so that
// each CPU has its share of them and a stream stays where it is. They are served as
// before when that is undone: in softirq, or by threads that have their CPUs and
// priority, as in a lab.
func (c ReceiveConfig) spread(ctx context.Context, undo *settings.Undo) error {
	threaded := settings.Setting{Kind: settings.File, Device: c.Port, Name: netif.Threaded(c.Port)}
	if _, err := undo.Set(ctx, c.Host, threaded, "1"); err != nil {
		return fmt.Errorf("give the queues of %s threads (Linux 5.12 or later): %w", c.Port, err)
	}
	threads, err := netif.StartNAPIThreads(c.Port)
	if err != nil {
		return err
	}
	if len(threads) < len(c.CPUs) {
		return fmt.Errorf("port %s has fewer receive queues (%d) than there are CPUs for them (%d): name fewer CPUs, or give it more queues (ethtool -L %s rx N, or combined N)",
			c.Port, len(threads), len(c.CPUs), c.Port)
	}
	for i, t := range threads {
		cpu := strconv.Itoa(c.CPUs[i%len(c.CPUs)])
		served := settings.Setting{Kind: settings.Thread, Device: c.Port, Name: strconv.Itoa(t)}
		if _, err := undo.Set(ctx, c.Host, served, settings.ThreadValue(cpu, "rr", "1")); err != nil {
			return fmt.Errorf("bind queue %d of %s to CPU %s: %w", i, c.Port, cpu, err)
		}
	}
	return nil
}

func received(r *xdp.Receiver) (ReceiveResult, error) {
	var out ReceiveResult
	var err error
	if out.Streams, err = r.Seen(); err != nil {
		return out, err
	}
	var first, last uint64
	for _, s := range out.Streams {
		out.Received += s.Received
		out.Lost += s.Lost()
		out.Duplicate += s.Duplicate
		out.Late += s.Late
		out.Corrupt += s.Corrupt
		if s.Received > 0 && (first == 0 || s.First < first) {
			first = s.First
		}
		last = max(last, s.Last)
	}
	if out.Other, _, err = r.Others(); err != nil {
		return out, err
	}
	if out.Seconds = float64(last-first) / 1e9; out.Received > 1 && out.Seconds > 0 {
		out.Rate = float64(out.Received-1) / out.Seconds
	}
	h, err := r.Latency()
	out.Latency = h.Summary()
	return out, err
}
