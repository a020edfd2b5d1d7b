package tester

import (
	"context"
	"errors"
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

	Begun func() // is called when frames count from now on; nil: nobody asks
}

// ReceiveResult is what a single port saw.
type ReceiveResult struct {
	Received  uint64         `json:"received"` // distinct, intact test frames
	Sends     int            `json:"sends"`    // that they are of
	Lost      uint64         `json:"lost"`     // between the first and the last one of each send that were seen
	Duplicate uint64         `json:"duplicate"`
	Late      uint64         `json:"late"`
	Corrupt   uint64         `json:"corrupt"`
	Other     uint64         `json:"other"` // frames that were no test frames, and passed to the stack
	Seconds   float64        `json:"seconds"`
	Rate      float64        `json:"rate"` // frames/s between the first and the last
	Latency   *weir.Latency  `json:"latency_seconds"`
	Warnings  []weir.Warning `json:"warnings,omitempty"`
	Streams   []xdp.Stream   `json:"-"`
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
	virtual, err := netif.Virtual(c.Port)
	if err != nil {
		return ReceiveResult{}, err
	}
	r, err := xdp.NewReceiver(index, xdp.ReceiverOptions{Verify: c.Verify, Offloaded: virtual, Keep: c.Keep})
	if err != nil {
		return ReceiveResult{}, err
	}
	defer r.Close()
	if len(c.CPUs) > 0 {
		undo := settings.Undo{Journal: c.Journal}
		defer func() { err = errors.Join(err, undo.Run(context.WithoutCancel(ctx))) }()
		if err := netif.ServeQueues(ctx, &undo, c.Host, c.Port, c.CPUs); err != nil {
			return ReceiveResult{}, err
		}
	}
	if err := r.Reset(xdp.Expected{}); err != nil {
		return ReceiveResult{}, err
	}
	if c.Begun != nil {
		c.Begun()
	}
	if err := pause(ctx, c.Duration); err != nil && !errors.Is(err, context.Canceled) {
		return ReceiveResult{}, err
	}
	result, err = received(r)
	if r.Generic() {
		result.Warnings = weir.AddWarning(result.Warnings, behindDriver(c.Port, r.Refused()))
	}
	return result, err
}

func received(r *xdp.Receiver) (ReceiveResult, error) {
	var out ReceiveResult
	var err error
	if out.Streams, err = r.Seen(); err != nil {
		return out, err
	}
	var first, last uint64
	sends := map[uint8]bool{}
	for _, s := range out.Streams {
		sends[s.Trial] = true
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
	out.Sends = len(sends)
	var untold uint64
	if out.Other, untold, err = r.Others(); err != nil {
		return out, err
	}
	if untold > 0 {
		out.Warnings = weir.AddWarning(out.Warnings, weir.Warn(weir.StreamsUntold, "%d frames were not counted: there were more than %d streams of sends; receive for a shorter time", untold, xdp.Streams))
	}
	if out.Seconds = float64(last-first) / 1e9; out.Received > 1 && out.Seconds > 0 {
		out.Rate = float64(out.Received-1) / out.Seconds
	}
	h, err := r.Latency()
	out.Latency = h.Summary()
	return out, err
}
