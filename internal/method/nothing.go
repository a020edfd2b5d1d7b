package method

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weir"
)

// The trickle that shows, after a trial of which nothing came back, whether the
// DUT forwards at all. It is no trial of the method's, and no figure is from it.
const (
	trickle       = "trickle" // what its trials are for
	trickleRate   = 1000.0    // frames/s per port: any DUT forwards that that forwards at all
	trickleLength = time.Second
)

// forwardsAtAll makes sure, after a trial of which nothing came back, that it
// was too much for the DUT: one that forwards not even a trickle has stopped, or
// never began, and whatever is measured on would be measured for nothing. It is
// asked once for each run of such trials.
func (s *session) forwardsAtAll(ctx context.Context, t weir.TrialResult) error {
	switch {
	case t.Received > 0:
		s.trickled = false
		return nil
	case t.Trial.Bypass || t.Offered == 0 || s.trickled:
		return nil
	case t.Trial.Intended == trickleRate && t.Trial.Count == 0 && t.Trial.Event == nil:
		return nothingForwarded(t) // it was a trickle itself
	}
	low, err := s.perform(ctx, weir.Trial{Purpose: trickle, Intended: trickleRate, Duration: min(s.params.Trial, trickleLength)})
	if err != nil {
		return err
	}
	s.trickles = append(s.trickles, low)
	if s.trickled = low.Received > 0; !s.trickled {
		return nothingForwarded(t, low)
	}
	return nil
}

// overwhelmed warns where nothing came back at a load, of a DUT that forwards
// a trickle.
func overwhelmed(r *weir.Result) {
	r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.NothingForwarded, "no frame came back at the maximum load, and the DUT forwards %.0f frames/s: it is in complete livelock", trickleRate))
}

// NothingForwardedError says that no test frame came back at any load that
// was tried: the DUT does not forward this traffic, and there is no rate to
// measure.
type NothingForwardedError struct {
	Loads  []float64   // tried, frames/s over all ports; that of a trial at maximum load as it was offered
	Ledger weir.Ledger // of the last trial: where its frames went
}

func (e *NothingForwardedError) Error() string {
	var b strings.Builder
	b.WriteString("the DUT forwards nothing: no frame came back at ")
	for i, load := range e.Loads {
		if i > 0 {
			b.WriteString(", nor at ")
		}
		fmt.Fprintf(&b, "%.0f", load)
	}
	fmt.Fprintf(&b, " frames/s (of %d frames", e.Ledger.Offered)
	for _, d := range e.Ledger.Drops {
		fmt.Fprintf(&b, ", %d at %s", d.Count, d.Place)
	}
	fmt.Fprintf(&b, ", %d at no known counter); check the DUT's addresses, routes and filters", e.Ledger.Unexplained)
	return b.String()
}

func nothingForwarded(trials ...weir.TrialResult) error {
	e := &NothingForwardedError{Ledger: trials[len(trials)-1].Ledger}
	for _, t := range trials {
		load := t.Trial.Intended * float64(t.Trial.Traffic.Ports())
		if t.Trial.Maximum {
			load = t.OfferedRate()
		}
		e.Loads = append(e.Loads, load)
	}
	return e
}
