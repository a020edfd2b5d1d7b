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
	"weir/internal/settings"
	"weir/internal/xdp"
)

// SendConfig is what a single port sends, without a lab around it.
type SendConfig struct {
	Port     string // in this process's network namespace
	To       net.HardwareAddr
	Traffic  weir.Traffic // its one direction is sent; forward where it is bidirectional
	Rate     float64      // frames/s; 0: as many as possible
	Duration time.Duration
	CPUs     []int // that send; they share the rate and the frames evenly
	Stream   uint8 // of the first CPU's frames; the next one has the next

	Host    weir.Host         // the calling thread's network namespace; packet sockets at virtual ports need it
	Journal *settings.Journal // remembers what is changed there; nil: it ends with this process
}

// SendResult is what became of it.
type SendResult struct {
	Flows    int       `json:"flows"`             // distinct tuples of addresses and ports, which each CPU sends in turn
	Intended uint64    `json:"intended"`          // frames asked for; 0 when as many as possible
	Sent     uint64    `json:"sent"`              // frames that the driver took
	Errors   uint64    `json:"errors"`            // frames that the driver refused
	Seconds  float64   `json:"seconds"`           // from the first frame to the end of the last one's place
	Rate     float64   `json:"rate"`              // frames/s sent
	Short    bool      `json:"short"`             // fewer frames were sent than intended
	Missing  []Missing `json:"missing,omitempty"` // all frames that were intended and not sent, by cause
	Stall    float64   `json:"longest_stall_seconds"`
	Backend  string    `json:"backend"` // as in weir.TrialResult

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
// became of them from the driver's counters. That the port cannot be set as it was
// is an error, too.
func Send(ctx context.Context, c SendConfig) (r SendResult, err error) {
	if c.Rate > 0 && c.Rate*c.Duration.Seconds() < 0.5 {
		return SendResult{}, fmt.Errorf("%g frames/s for %v is less than one frame; send for longer", c.Rate, c.Duration)
	}
	if last := int(c.Stream) + len(c.CPUs) - 1; len(c.CPUs) == 0 || last >= xdp.Streams {
		return SendResult{}, fmt.Errorf("stream %d and %d CPUs: each CPU sends a stream of its own, and there are streams 0 to %d", c.Stream, len(c.CPUs), xdp.Streams-1)
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
	b, err := frame.NewPortBuilder(c.Traffic, c.Traffic.Direction(), port.Address, c.To)
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
		r, missing = sendLive(ctx, c, side)
		if unsupported := (*weir.UnsupportedError)(nil); !errors.As(missing, &unsupported) {
			return r, missing
		}
	}
	undo := settings.Undo{Journal: c.Journal}
	defer func() { err = errors.Join(err, undo.Run(context.WithoutCancel(ctx))) }()
	if err := netif.SuspendSegmentation(ctx, &undo, c.Host, c.Port); err != nil {
		return SendResult{}, err
	}
	r, err = sendThrough(ctx, c, side, packet)
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

func sendThrough(ctx context.Context, c SendConfig, side xdp.Side, back *backend) (r SendResult, err error) {
	var threads senders
	defer func() { err = errors.Join(err, threads.Close()) }()
	if err := threads.open(back, len(c.CPUs), []xdp.Side{side}, xdp.GeneratorOptions{Paced: c.Rate > 0}); err != nil {
		return SendResult{}, err
	}
	before, err := back.left(c.Port)
	if err != nil {
		return SendResult{}, err
	}
	trial := weir.Trial{Traffic: c.Traffic, Intended: c.Rate, Maximum: c.Rate == 0, Duration: c.Duration}
	trial.Traffic.Bidirectional = false
	orders := orders(trial, xdp.Grid{}, hands{c.CPUs, mark(time.Now()), func(_, thread int) uint8 { return c.Stream + uint8(thread) }})
	idle, err := cpuTime()
	if err != nil {
		return SendResult{}, err
	}
	sent, err := threads.run(ctx, orders)
	if err != nil {
		return SendResult{}, err
	}
	used, err := cpuTime()
	if err != nil {
		return SendResult{}, err
	}
	given := handed(sent)[0]
	left, err := leftSince(before, func() (netif.Sent, error) { return back.left(c.Port) }, given)
	if err != nil {
		return SendResult{}, err
	}
	left = withoutBroadcasts(left, sent, 0)
	r = SendResult{
		Flows: c.Traffic.Flows, Intended: trial.Frames(), Sent: left.Sent, Errors: left.Refused,
		Seconds: c.Duration.Seconds(), Backend: back.name,
	}
	r.time(sent, c.Rate == 0 || ctx.Err() != nil)
	if r.Short = r.Sent < r.Intended; r.Short {
		virtual, err := netif.Virtual(c.Port)
		if err != nil {
			return r, err
		}
		r.Missing = shortfall{orders, sent, left, used - idle, back == live, virtual, ctx.Err() != nil}.missing()
	}
	if back == live && given > 0 && r.Sent+r.Errors == 0 {
		return r, noneLeft(c.Port)
	}
	return r, nil
}

// mark tells the frames of a send from those of others to who receives both, unless they
// begin within the same quarter of a second, or 64 s after each other.
func mark(now time.Time) uint8 {
	const turn, marks = 250 * time.Millisecond, 255 // 0 is no trial
	return uint8(1 + now.UnixNano()/int64(turn)%marks)
}

// time says how long the threads sent, which is as long as they were asked to
// unless that is open, and how fast.
func (r *SendResult) time(sent []xdp.Sent, open bool) {
	var last time.Duration
	for _, s := range sent {
		last = max(last, s.Last)
		r.Stall = max(r.Stall, s.Longest.Seconds())
	}
	if open {
		first, _ := began(sent)
		r.Seconds = max(0, (last - first).Seconds())
	}
	if r.Seconds > 0 {
		r.Rate = float64(r.Sent) / r.Seconds
	}
}
