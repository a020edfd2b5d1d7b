package service

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// BIRDConfig says whom a routing daemon learns from.
type BIRDConfig struct {
	Local, Neighbor     netip.Addr // IPv4, on one link: the ends of the session
	LocalAS, NeighborAS uint32
}

// BIRD is the routing daemon BIRD, version 2. What its neighbour announces it
// puts into the forwarding table of its host.
type BIRD struct {
	*Service
}

// readyLimit is how long a daemon may take to be ready: where it shares a CPU,
// it takes a while.
const readyLimit = time.Minute

// StartBIRD starts BIRD and waits until it takes commands; the session comes
// from the neighbour. The error is a *weir.UnsupportedError when it is not
// installed.
func StartBIRD(ctx context.Context, at Place, c BIRDConfig) (*BIRD, error) {
	s, err := Start(ctx, at, Program{
		Name: "bird", Of: "the routing daemon BIRD", Source: "bird2", Files: map[string]string{"config": birdConfig(c)},
		Argv: func(folder string) []string {
			return []string{"-f", "-c", folder + "/config", "-s", folder + "/control"}
		},
	})
	if err != nil {
		return nil, err
	}
	b := &BIRD{s}
	if err := b.awaitControl(ctx); err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	return b, nil
}

// birdConfig is a configuration file.
//
// The kernel's table is not read again while BIRD runs: that takes the DUT's
// CPU for a second where there are many routes, every minute. Next hops are
// looked up, not bound to a port, so that routes come back with a port that
// was down. The session has no hold time: a DUT that is overloaded keeps it.
func birdConfig(c BIRDConfig) string {
	return fmt.Sprintf(`log stderr all;
router id %[1]v;
protocol device { }
protocol direct { ipv4; ipv6; }
protocol kernel { scan time 86400; ipv4 { import none; export where source = RTS_BGP; }; }
protocol kernel { scan time 86400; ipv6 { import none; export where source = RTS_BGP; }; }
protocol bgp tester {
	local %[1]v as %[2]d;
	neighbor %[3]v as %[4]d;
	passive;
	hold time 0;
	ipv4 { import all; export none; gateway recursive; };
	ipv6 { import all; export none; gateway recursive; };
}
`, c.Local, c.LocalAS, c.Neighbor, c.NeighborAS)
}

func (b *BIRD) awaitControl(ctx context.Context) error {
	return b.Await(ctx, readyLimit, func(ctx context.Context) error {
		_, err := b.Command(ctx, "show", "status")
		return err
	})
}

// commandLimit is how long BIRD may take for a command: one that hangs says
// nothing for ever.
const commandLimit = 30 * time.Second

// Command has BIRD do something, in the words of its client, and returns what
// it says.
func (b *BIRD) Command(ctx context.Context, words ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandLimit, fmt.Errorf("BIRD has not answered for %v", commandLimit))
	defer cancel()
	client := strings.TrimSuffix(b.Path, "bird") + "birdc"
	said, err := b.At.Host.Run(ctx, "", append([]string{client, "-s", b.Folder + "/control"}, words...)...)
	if err == nil {
		return said, nil
	}
	if ended := b.Alive(); ended != nil {
		err = ended
	}
	return said, fmt.Errorf("%s: %w", strings.Join(words, " "), err)
}

// Session says in what state the session with the neighbour is, in BIRD's
// words.
func (b *BIRD) Session(ctx context.Context) (string, error) {
	said, err := b.Command(ctx, "show", "protocols", "tester")
	if err != nil {
		return "", err
	}
	return sessionState(said), nil
}

// sessionState is the end of the line on the session: "up 12:00:00.000
// Established".
func sessionState(said string) string {
	for line := range strings.Lines(said) {
		if f := strings.Fields(line); len(f) > 3 && f[0] == "tester" {
			return strings.Join(f[3:], " ")
		}
	}
	return "unknown"
}

// Stop ends BIRD, removes its files and what it may have left in the forwarding
// table: one that is asked to end takes its routes back, one that crashed did
// not.
func (b *BIRD) Stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	err := b.Service.Stop(ctx)
	for _, family := range []string{"-4", "-6"} {
		_, flushed := b.At.Host.Run(ctx, "", "ip", family, "route", "flush", "proto", "bird")
		err = errors.Join(err, flushed)
	}
	return err
}

// Reset kills BIRD and starts it again. Its routes stay in the forwarding table
// until the new one has looked there, and removed what it does not know.
func (b *BIRD) Reset(ctx context.Context) error {
	if err := b.Kill(ctx); err != nil {
		return err
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	return b.awaitControl(ctx)
}
