package tester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/netif"
	"weir/internal/xdp"
)

// SendConfig is what a single port sends, without a lab around it.
type SendConfig struct {
	Port     string // in this process's network namespace
	To       net.HardwareAddr
	Traffic  weir.Traffic // its one direction is sent; forward where it is bidirectional
	Rate     float64      // frames/s; 0: as many as possible
	Duration time.Duration
	CPU      int
	Stream   uint8
}

// SendResult is what became of it.
type SendResult struct {
	Intended uint64  `json:"intended"` // frames asked for; 0 when as many as possible
	Sent     uint64  `json:"sent"`     // frames that the driver took
	Errors   uint64  `json:"errors"`   // frames that the driver refused
	Seconds  float64 `json:"seconds"`  // from the first frame to the end of the last one's place
	Rate     float64 `json:"rate"`     // frames/s sent
	Short    bool    `json:"short"`    // fewer frames were sent than intended
	Stall    float64 `json:"longest_stall_seconds"`
	Backend  string  `json:"backend"` // as in weir.TrialResult

	// Warnings say why packet sockets were used where live frames would do.
	Warnings []weir.Warning `json:"warnings,omitempty"`
}

// readyPort is a port that is there and up.
func readyPort(name string) (netif.Port, error) {
	p, err := netif.ReadPort(name)
	if err == nil && !p.Up {
		err = fmt.Errorf("port %s is down; set it up with: ip link set %s up", name, name)
	}
	return p, err
}

// Send sends frames through one port, live ones if it can, and reads what
// became of them from the driver's counters.
func Send(ctx context.Context, c SendConfig) (SendResult, error) {
	if c.Rate > 0 && c.Rate*c.Duration.Seconds() < 0.5 {
		return SendResult{}, fmt.Errorf("%g frames/s for %v is less than one frame; send for longer", c.Rate, c.Duration)
	}
	port, err := readyPort(c.Port)
	if err != nil {
		return SendResult{}, err
	}
	for _, size := range c.Traffic.Sizes {
		if payload := int(size) - 18 - 4*len(c.Traffic.VLANs); payload > port.MTU {
			return SendResult{}, fmt.Errorf("frames of %d octets need an MTU of %d; port %s has %d", size, payload, c.Port, port.MTU)
		}
	}
	b, err := frame.NewPortBuilder(c.Traffic, oneWay(c.Traffic), port.Address, c.To)
	if err != nil {
		return SendResult{}, err
	}
	index, err := netif.Index(c.Port)
	if err != nil {
		return SendResult{}, err
	}
	side := xdp.Side{Frames: b, Port: index}
	missing := xdp.ProbeLiveFrames()
	if choose(c.Traffic, missing) == live {
		var r SendResult
		r, missing = sendLive(ctx, c, side)
		if unsupported := (*weir.UnsupportedError)(nil); !errors.As(missing, &unsupported) {
			return r, missing
		}
	}
	r, err := sendThrough(ctx, c, side, packet)
	if missing != nil && choose(c.Traffic, nil) == live {
		r.Warnings = []weir.Warning{slow(missing)}
	}
	return r, err
}

// sendLive is a *weir.UnsupportedError when the port does not send live frames.
func sendLive(ctx context.Context, c SendConfig, side xdp.Side) (SendResult, error) {
	if driver, err := netif.Driver(c.Port); err == nil && driver != "veth" {
		pass, err := xdp.NewPass(side.Port) // without, most NICs do not transmit redirected frames
		if err != nil {
			return SendResult{}, err
		}
		defer pass.Close()
	}
	return sendThrough(ctx, c, side, live)
}

func sendThrough(ctx context.Context, c SendConfig, side xdp.Side, back *backend) (SendResult, error) {
	s, err := back.open([]xdp.Side{side}, xdp.GeneratorOptions{Paced: c.Rate > 0})
	if err != nil {
		return SendResult{}, err
	}
	defer s.Close()
	before, err := back.left(c.Port)
	if err != nil {
		return SendResult{}, err
	}
	trial := weir.Trial{Traffic: c.Traffic, Intended: c.Rate, Maximum: c.Rate == 0, Duration: c.Duration}
	trial.Traffic.Bidirectional = false
	built, err := s.Run(ctx, xdp.Order{
		Streams: [xdp.MaxSides]uint8{c.Stream, c.Stream}, Trial: 1, Start: xdp.Now(), CPU: c.CPU,
		Load: xdp.Load{Rate: c.Rate, Duration: c.Duration, Frames: trial.Frames(), Burst: c.Traffic.Burst},
	})
	if err != nil {
		return SendResult{}, err
	}
	left, err := leftSince(before, func() (netif.Sent, error) { return back.left(c.Port) }, built.Frames+built.Broadcasts[0])
	if err != nil {
		return SendResult{}, err
	}
	left = withoutBroadcasts(left, []xdp.Sent{built}, 0)
	r := SendResult{
		Intended: trial.Frames(), Sent: left.Sent, Errors: left.Refused,
		Seconds: c.Duration.Seconds(), Stall: built.Longest.Seconds(), Backend: back.name,
	}
	if c.Rate == 0 || ctx.Err() != nil {
		r.Seconds = max(0, (built.Last - built.First).Seconds())
	}
	if r.Seconds > 0 {
		r.Rate = float64(r.Sent) / r.Seconds
	}
	r.Short = r.Sent < r.Intended
	if back == live && built.Frames > 0 && r.Sent+r.Errors == 0 {
		return r, noneLeft(c.Port)
	}
	return r, nil
}

// ReceiveConfig says where and how long to listen.
type ReceiveConfig struct {
	Port     string // in this process's network namespace
	Duration time.Duration
	Verify   bool  // check the transport checksum of each frame
	Keep     bool  // pass test frames to the stack too, where a capture sees them
	CPUs     []int // where the port's receive queues run, in threads of their own; nil: where they are
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
// the time is over or ctx ends.
func Receive(ctx context.Context, c ReceiveConfig) (ReceiveResult, error) {
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
		threads, err := netif.ThreadNAPI(c.Port, c.CPUs)
		if err != nil {
			return ReceiveResult{}, err
		}
		defer netif.UnthreadNAPI(c.Port)
		if err := netif.Prefer(threads); err != nil {
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
