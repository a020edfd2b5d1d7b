package agent

import (
	"context"
	"net/netip"
	"time"

	"weir"
)

// WatchSettings are those of the agent that watches.
type WatchSettings struct {
	Target netip.Addr    `json:"target"` // IPv4; where a beat agent takes connections
	Every  time.Duration `json:"every"`  // from one pair of probes to the next; 0: 20 ms
	Limit  time.Duration `json:"limit"`  // how long an answer may take; 0: 1 s
}

// The defaults of WatchSettings.
const (
	watchEvery = 20 * time.Millisecond
	watchLimit = time.Second
)

// Watch asks a DUT for signs of life: it sends ICMP echo requests, and opens
// TCP connections to a beat agent.
type Watch struct{ Observer }

// StartWatch starts one on the tester's side of the control link. It takes
// precedence over what else runs on its CPUs, so that what it sees late was
// late.
func StartWatch(ctx context.Context, at Place, s WatchSettings) (Watch, error) {
	a, err := beside(ctx, at, "watch", s)
	return Watch{Observer{a}}, err
}

// Report stops probing, waits for the answers that are still under way, at
// most for their limit, and tells what was seen: all of a probe but for the
// heartbeat.
func (w Watch) Report(ctx context.Context) (p weir.Probe, err error) {
	err = w.ask(ctx, "report", nil, &p)
	return p, err
}
