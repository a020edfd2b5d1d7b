package remote

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"weir"
	"weir/internal/testbed"
	"weir/internal/tester"
)

// readHere is what the machine of this process knows of its clocks.
func readHere(ctx context.Context) (Reading, error) {
	here, err := testbed.Here()
	if err != nil {
		return Reading{}, err
	}
	return readClocks(ctx, here), nil
}

// discord is why one clock is not proven to agree with the other; nil: it is, or both are
// one.
func (t *Tester) discord() error {
	if t.shared {
		return nil
	}
	_, err := agreement(t.sides[0].told.Clocks, t.sides[1].told.Clocks)
	return err
}

// readClocks has both sides of all directions read their clocks, before the trial (0) or
// after it (1), where PTP can prove something of them.
func (t *Tester) readClocks(ctx context.Context, all []*way, when int) error {
	if t.shared || t.sides[0].told.Clocks.PTP == nil || t.sides[1].told.Clocks.PTP == nil {
		return nil
	}
	var read [2]Reading
	err := t.both(func(i int, s *side) error { return s.ask(ctx, quietLimit+answerLimit, "clocks", nil, &read[i]) })
	for _, w := range all {
		for i, s := range t.sides {
			if s == w.from {
				w.clocks[0][when] = read[i]
			} else {
				w.clocks[1][when] = read[i]
			}
		}
	}
	return err
}

// ahead is by how much the clock of the receiver is ahead of the sender's: by PTP, or as
// far as asking both what time it is tells.
func (t *Tester) ahead(w *way) time.Duration {
	from, to := w.clocks[0][0], w.clocks[1][0]
	if _, err := agreement(from, to); err == nil {
		return ahead(to, from)
	}
	if t.shared {
		return 0
	}
	return w.to.offset - w.from.offset
}

// What comes back loads the DUT, too: no more than one of fewest frames, and no more than
// about mostBack a second.
const (
	fewest   = 16
	mostBack = 1000
)

// back is of how many frames of a stream one is sent back in a trial of so many directions:
// where two clocks have to do without each other, and nothing else comes to the sender.
func (t *Tester) back(trial weir.Trial, directions int) uint32 {
	if t.shared || !trial.Timed || directions > 1 {
		return 0
	}
	rate := trial.Intended
	for _, w := range trial.Windows {
		rate = max(rate, w.Intended)
	}
	rate *= float64(trial.Traffic.Ports())
	return max(fewest, uint32(1)<<bits.Len32(uint32(rate/mostBack)))
}

// oneWay reports whether a trial is for nothing without latencies one way.
func oneWay(trial weir.Trial) bool { return trial.Tags.Count > 0 || trial.Variation }

// timed is the result of one direction with what is proven of its latencies: all of them,
// and by how much they may be off, or none.
func (w *way) timed(r weir.TrialResult) (weir.TrialResult, error) {
	bound, err := within(w.clocks[0], w.clocks[1])
	if err == nil && uint64(bound) >= r.Latency.Min {
		err = fmt.Errorf("PTP proves them to agree to within %v, which is no less than the least latency measured, %v", bound, time.Duration(r.Latency.Min))
	}
	switch {
	case err == nil:
		r.Latency.Within = uint64(bound)
		return r, nil
	case oneWay(w.trial) && r.Latency.N > 0:
		return r, fmt.Errorf("latencies one way from %s to %s are not known in this trial: %w", w.from.name, w.to.name, err)
	}
	return tester.Timeless(r), nil
}

// Clocks says what is known of the clocks of both sides, and what follows for latencies.
func (t *Tester) Clocks() string {
	if t.shared {
		return "one for sender and receiver: latencies are one-way"
	}
	bound, err := agreement(t.sides[0].told.Clocks, t.sides[1].told.Clocks)
	if err != nil {
		return fmt.Sprintf("two that are not proven to agree (%v): round trips are measured in place of latencies, by the sender's clock, of frames that the receiving port sends back", err)
	}
	return fmt.Sprintf("two that PTP proves to agree, to within %v when the tester was opened (grandmaster %s): latencies are one-way, and may be off by what each trial has as its bound; they are left out where that is no less than the least of them",
		bound, t.sides[0].told.Clocks.PTP.Grandmaster)
}
