package agent

import (
	"context"
	"net/netip"
	"time"

	"weir"
)

// WatchSettings are those of the agent that watches.
type WatchSettings struct {
	Target netip.Addr    `json:"target"` // IPv4; where a heartbeat agent takes connections
	Every  time.Duration `json:"every"`  // from one pair of probes to the next; 0: 20 ms
	Limit  time.Duration `json:"limit"`  // how long an answer may take; 0: 1 s
}

// The defaults of WatchSettings.
const (
	watchEvery = 20 * time.Millisecond
	watchLimit = time.Second
)

// Watch asks a DUT for signs of life: it sends ICMP echo requests, and opens
// TCP connections to a heartbeat agent. It reports all of a probe but for the
// heartbeat.
type Watch = Observer[weir.Probe]

// StartWatch starts one on the tester's side of the control link. It takes
// precedence over what else runs on its CPUs, so that what it sees late was
// late.
func StartWatch(ctx context.Context, at Place, s WatchSettings) (Watch, error) {
	a, err := startRole(ctx, at, "watch", s)
	return Watch{a}, err
}
