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
type Heartbeat struct{ Observer }

// StartHeartbeat starts one that takes connections at an address of its host, port
// HeartbeatPort.
func StartHeartbeat(ctx context.Context, at Place, address netip.Addr) (Heartbeat, error) {
	a, err := beside(ctx, at, "heartbeat", heartbeatSettings{At: netip.AddrPortFrom(address, HeartbeatPort)})
	return Heartbeat{Observer{a}}, err
}

// Report stops the heart and tells the longest gap between two beats.
func (b Heartbeat) Report(ctx context.Context) (gap time.Duration, err error) {
	err = b.ask(ctx, "report", nil, &gap)
	return gap, err
}

// heart is the role "heartbeat" being played.
type heart struct {
	longest time.Duration // of what it observes; read when that is over
}

func openHeartbeat(_ context.Context, raw json.RawMessage) (Opened, error) {
	s, err := decoded[heartbeatSettings](raw)
	if err != nil {
		return Opened{}, err
	}
	listener, err := net.Listen("tcp", s.At.String())
	if err != nil {
		return Opened{}, fmt.Errorf("take connections: %w", err)
	}
	go welcome(listener)
	h := &heart{}
	return Opened{
		Commands: observing(func() { h.longest = 0 }, h.beat, func() (any, error) { return h.longest, nil }),
		Close:    func() { listener.Close() },
	}, nil
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
