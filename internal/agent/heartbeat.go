package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// HeartbeatPort is the TCP port at which the beat agent is asked for signs of life:
// that of the character generator (RFC 864), which also speaks first.
const HeartbeatPort = 19

// heartbeatPeriod is how long the heart wants to sleep.
const heartbeatPeriod = 5 * time.Millisecond

// heartbeatSettings are those of the role "heartbeat".
type heartbeatSettings struct {
	At netip.AddrPort `json:"at"`
}

// Heartbeat is an ordinary program of the DUT: it takes TCP connections, and wants
// to run every few milliseconds. How well it is served tells what a DUT has
// left for its control plane.
type Heartbeat struct{ *Agent }

// StartHeartbeat starts one that takes connections at an address of its host, port
// HeartbeatPort.
func StartHeartbeat(ctx context.Context, at Place, address netip.Addr) (Heartbeat, error) {
	a, err := start(ctx, at, "heartbeat", heartbeatSettings{At: netip.AddrPortFrom(address, HeartbeatPort)})
	return Heartbeat{a}, err
}

// Begin lets the heart beat for a time.
func (b Heartbeat) Begin(ctx context.Context, length time.Duration) error {
	return b.ask(ctx, "begin", beginning{For: length}, nil)
}

// Report stops the heart and tells the longest gap between two beats.
func (b Heartbeat) Report(ctx context.Context) (gap time.Duration, err error) {
	err = b.ask(ctx, "report", nil, &gap)
	return gap, err
}

// heart is the role "heartbeat" being played.
type heart struct {
	current *shift
	longest time.Duration // of the current shift; read when that is over
}

func openHeartbeat(raw json.RawMessage) (commands, func(), error) {
	var s heartbeatSettings
	if err := decode(raw, &s); err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", s.At.String())
	if err != nil {
		return nil, nil, fmt.Errorf("take connections: %w", err)
	}
	go welcome(listener)
	h := &heart{}
	return commands{
		"begin": with(func(_ context.Context, b beginning) (any, error) {
			h.current.end()
			h.longest = 0
			h.current = newShift(b.For, h.beat)
			return nil, nil
		}),
		"report": func(context.Context, json.RawMessage) (any, error) {
			h.current.end()
			return h.longest, nil
		},
	}, func() { listener.Close() }, nil
}

// beat sleeps and wakes up. The gap that is under way at the end counts whole.
func (h *heart) beat(s *shift) {
	for last := time.Now(); !s.over(last); {
		time.Sleep(heartbeatPeriod)
		now := time.Now()
		h.longest = max(h.longest, now.Sub(last))
		last = now
	}
}

// welcome answers each connection with one octet.
func welcome(listener net.Listener) {
	for {
		c, err := listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(heartbeatPeriod) // too many open files, say
			continue
		}
		c.Write([]byte{'!'}) // the one who asked notices when it does not come
		c.Close()
	}
}
