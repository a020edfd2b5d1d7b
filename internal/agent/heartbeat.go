package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// HeartbeatPort is the TCP port at which a heartbeat agent is asked for signs of life:
// that of the character generator (RFC 864), which also speaks first.
const HeartbeatPort = 19

// heartbeatPeriod is how long the heart wants to sleep.
const heartbeatPeriod = 5 * time.Millisecond

// Heartbeat is an ordinary program of the DUT: it takes TCP connections, and wants
// to run every few milliseconds. How well it is served tells what a DUT has
// left for its control plane. It reports the longest gap between two beats of its
// heart.
type Heartbeat = Observer[time.Duration]

// StartHeartbeat starts one that takes connections at an address of its host, port
// HeartbeatPort.
func StartHeartbeat(ctx context.Context, at Place, address netip.Addr) (Heartbeat, error) {
	a, err := startRole(ctx, at, "heartbeat", netip.AddrPortFrom(address, HeartbeatPort))
	return Heartbeat{a}, err
}

// openHeartbeat is the role "heartbeat".
func openHeartbeat(_ context.Context, at netip.AddrPort) (Opened, error) {
	listener, err := net.Listen("tcp", at.String())
	if err != nil {
		return Opened{}, fmt.Errorf("take connections: %w", err)
	}
	go answerConnections(listener)
	var longest time.Duration // read when the observation is over
	return Opened{
		Commands: observing(func() { longest = 0 }, func(ctx context.Context) { longest = longestGap(ctx) }, func() (time.Duration, error) { return longest, nil }),
		Close:    func() { listener.Close() },
	}, nil
}

// longestGap sleeps and wakes up, and is the longest time between two awakenings.
// The one that is under way at the end counts whole.
func longestGap(ctx context.Context) (longest time.Duration) {
	for last := time.Now(); !over(ctx, last); {
		time.Sleep(heartbeatPeriod)
		now := time.Now()
		longest = max(longest, now.Sub(last))
		last = now
	}
	return longest
}

// answerConnections answers each connection with one octet.
func answerConnections(listener net.Listener) {
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
