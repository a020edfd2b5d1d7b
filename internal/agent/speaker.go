package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"weir"
	"weir/fib"
)

const (
	bgpPort      = 179
	sessionLimit = 5 * time.Second        // to set one up
	sessionPause = 100 * time.Millisecond // before the next attempt
)

// speaker is the role "bgp" being played.
type speaker struct {
	settings SpeakerSettings

	mu        sync.Mutex
	session   *session // nil: none is established
	changed   chan struct{}
	fault     error            // why there is none
	announced [][]netip.Prefix // in the order of their announcement

	drawn map[weir.RouteSet][]netip.Prefix
}

func openSpeaker(ctx context.Context, settings SpeakerSettings) (Opened, error) {
	settings.Port = cmp.Or(settings.Port, bgpPort)
	if !settings.Local.Is4() {
		return Opened{}, fmt.Errorf("the local address %v is not an IPv4 address", settings.Local)
	}
	s := &speaker{settings: settings, changed: make(chan struct{}), drawn: make(map[weir.RouteSet][]netip.Prefix), fault: errors.New("it has not been tried yet")}
	set := func(do func([]netip.Prefix) error) Command {
		return Do(func(_ context.Context, set weir.RouteSet) (any, error) {
			prefixes, err := s.draw(set)
			if err != nil {
				return nil, err
			}
			return nil, do(prefixes)
		})
	}
	return Opened{
		Commands: map[string]Command{
			"await":    Do(s.await),
			"prepare":  set(func([]netip.Prefix) error { return nil }),
			"announce": set(func(p []netip.Prefix) error { return s.change(change{Announce: p}) }),
			"withdraw": set(func(p []netip.Prefix) error { return s.change(change{Withdraw: p}) }),
			"update":   Do(func(_ context.Context, c change) (any, error) { return nil, s.change(c) }),
			"count":    Do(s.count),
		},
		Serve: func() error { s.keepSession(ctx); return nil },
	}, nil
}

// draw makes the prefixes of a set, once: each session announces them anew.
func (s *speaker) draw(set weir.RouteSet) ([]netip.Prefix, error) {
	set.Via = "" // says nothing about the routes
	if p, ok := s.drawn[set]; ok {
		return p, nil
	}
	p, err := fib.Prefixes(set)
	if err == nil {
		s.drawn[set] = p
	}
	return p, err
}

// keepSession keeps up a session until the context ends.
func (s *speaker) keepSession(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := s.connect(ctx)
		if err == nil {
			err = n.listen()
		}
		s.mu.Lock()
		s.session, s.fault = nil, err
		s.mu.Unlock()
		select {
		case <-time.After(sessionPause):
		case <-ctx.Done():
		}
	}
}

// connect sets a session up, and announces on it again what was announced.
func (s *speaker) connect(ctx context.Context) (*session, error) {
	n, err := dialSession(ctx, s.settings)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, prefixes := range s.announced {
		if err := n.send(change{Announce: prefixes}); err != nil {
			n.close()
			return nil, err
		}
	}
	s.session = n
	close(s.changed)
	s.changed = make(chan struct{})
	return n, nil
}

func (s *speaker) await(ctx context.Context, limit time.Duration) (any, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s.mu.Lock()
		established, changed, fault := s.session != nil, s.changed, s.fault
		s.mu.Unlock()
		if established {
			return nil, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return nil, s.noSession(fault)
		}
	}
}

func (s *speaker) noSession(fault error) error {
	return fmt.Errorf("there is no BGP session with %v: %w", s.settings.Peer, fault)
}

func (s *speaker) change(c change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return s.noSession(s.fault)
	}
	s.announced = slices.DeleteFunc(s.announced, func(p []netip.Prefix) bool {
		return slices.Equal(p, c.Withdraw) || slices.Equal(p, c.Announce)
	})
	if len(c.Announce) > 0 {
		s.announced = append(s.announced, c.Announce)
	}
	return s.session.send(c)
}

func (s *speaker) count(context.Context, struct{}) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.announced {
		n += len(p)
	}
	return n, nil
}

// dialSession connects to the peer and opens a session.
func dialSession(ctx context.Context, c SpeakerSettings) (*session, error) {
	// The session has no hold time (see openMessage): a peer that has forgotten it
	// says so when it is asked once a second whether the connection is there. One
	// that is too busy to answer has all the time it wants.
	d := net.Dialer{
		LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(c.Local, 0)), Timeout: sessionLimit,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: time.Second, Interval: time.Second, Count: 120},
	}
	conn, err := d.DialContext(ctx, "tcp", netip.AddrPortFrom(c.Peer, c.Port).String())
	if err != nil {
		return nil, err
	}
	n := newSession(ctx, conn, c.NextHop)
	if err := n.open(c.Local); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}
