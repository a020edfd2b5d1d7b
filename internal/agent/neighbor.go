package agent

import (
	"context"
	"net/netip"
	"time"

	"weir"
)

// The autonomous systems of a lab, from the range for private use (RFC 6996).
const (
	DUTAS    = 65001
	TesterAS = 65002
)

// SpeakerSettings are those of a BGP neighbour.
type SpeakerSettings struct {
	Local   netip.Addr   `json:"local"`    // IPv4, also the router's identifier
	Peer    netip.Addr   `json:"peer"`     // of the DUT, whose AS is DUTAS
	Port    uint16       `json:"port"`     // at the peer; 0: 179
	NextHop []netip.Addr `json:"next_hop"` // of what is announced: one of each family
}

// Speaker is a BGP neighbour of the DUT (RFC 4271). It takes up the session
// again, and announces again what it has announced, whenever it is lost.
type Speaker struct{ *Agent }

// StartSpeaker starts one in the tester. Await says when it has a session.
func StartSpeaker(ctx context.Context, at Place, s SpeakerSettings) (Speaker, error) {
	a, err := startRole(ctx, at, "bgp", s)
	return Speaker{a}, err
}

// change is a request to announce and to withdraw.
type change struct {
	Announce []netip.Prefix `json:"announce,omitempty"`
	Withdraw []netip.Prefix `json:"withdraw,omitempty"`
}

// Await returns when there is a session, or says why there is none after a
// time.
func (s Speaker) Await(ctx context.Context, limit time.Duration) error {
	return s.Ask(ctx, "await", limit, nil)
}

// Prepare draws a set of routes, so that it is not drawn when it is announced.
func (s Speaker) Prepare(ctx context.Context, set weir.RouteSet) error {
	return s.Ask(ctx, "prepare", set, nil)
}

// Announce announces a set of routes, and returns when all of it was sent: the
// DUT may have read little of it by then.
func (s Speaker) Announce(ctx context.Context, set weir.RouteSet) error {
	return s.Ask(ctx, "announce", set, nil)
}

// Withdraw withdraws a set of routes that was announced.
func (s Speaker) Withdraw(ctx context.Context, set weir.RouteSet) error {
	return s.Ask(ctx, "withdraw", set, nil)
}

// Update announces and withdraws a few routes in one message.
func (s Speaker) Update(ctx context.Context, announce, withdraw []netip.Prefix) error {
	return s.Ask(ctx, "update", change{announce, withdraw}, nil)
}

// Count is how many routes are announced now.
func (s Speaker) Count(ctx context.Context) (n int, err error) {
	err = s.Ask(ctx, "count", nil, &n)
	return n, err
}
