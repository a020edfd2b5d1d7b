package method

import (
	"fmt"
	"strings"

	"weir"
)

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
