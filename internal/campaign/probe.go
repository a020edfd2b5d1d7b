package campaign

import (
	"context"
	"fmt"
	"strings"

	"weir"
	"weir/internal/plan"
)

// probeRate is that of the probe in frames/s: a trickle that any DUT forwards.
const probeRate = 1000.0

// silentError says that the DUT forwards nothing, and what was tried.
type silentError struct {
	text    string
	details []string // what counters, routes and ports say
}

func (e *silentError) Error() string {
	if len(e.details) == 0 {
		return e.text
	}
	return e.text + "; what is known:\n  - " + strings.Join(e.details, "\n  - ")
}

// probe makes sure that the DUT forwards at all before trials are spent on it.
func (r *run) probe(ctx context.Context, t weir.Traffic) error {
	r.begin(t.Name, "probe", 0, r.plan.TrialCost(plan.ProbeDuration))
	return r.forwards(ctx, t)
}

// forwards performs the probe of all DUTs that stand there.
func (r *run) forwards(ctx context.Context, t weir.Traffic) error {
	if len(r.build) > 1 {
		return r.eachForwards(ctx, r.besides())
	}
	return r.oneForwards(ctx, t)
}

// oneForwards performs the probe of a DUT. One that is recorded and brought nothing
// back says nothing about today: whoever goes on will have mended that.
func (r *run) oneForwards(ctx context.Context, t weir.Traffic) error {
	var res weir.TrialResult
	var err error
	for r.past.enter(r.key, false); ; r.past.anew() {
		duration := plan.ProbeDuration
		for range probes {
			res, err = r.measure(ctx, weir.Trial{
				Purpose: "probe", Traffic: t, Intended: probeRate, Duration: duration, Waits: r.plan.Waits, Condition: r.level.Condition,
			})
			if err != nil || !unsent(res) {
				break
			}
			duration *= 4
		}
		if err != nil || res.Received > 0 || !r.past.recorded() {
			break
		}
	}
	if err != nil {
		return r.named(fmt.Errorf("probe "+weir.WithFrames+"%s: %w", t.Name, err))
	}
	switch {
	case unsent(res):
		return r.named(fmt.Errorf("the tester sent nothing in %d probes "+weir.WithFrames+"%s: it was kept from its CPUs; stop other work and run again", probes, t.Name))
	case res.Received == 0:
		text := fmt.Sprintf("the DUT forwards nothing: %d %s/%s frames of %s from %v to %v at %g frames/s, none came back",
			res.Offered, t.Family, t.Protocol, t.Name, t.Forward.Source.First, t.Forward.Destination.First, probeRate)
		details := []string{dropped(res.Ledger)}
		if r.lab.Diagnose != nil {
			if said := r.lab.Diagnose(ctx, t); said != "" {
				details = append(details, strings.Split(said, "; ")...)
			}
		}
		return r.named(&silentError{text, details})
	}
	r.forwarded = true
	return nil
}

// unsent reports whether the sender of a trial had no CPU in all of its time: it has built no
// frame.
func unsent(r weir.TrialResult) bool { return r.Offered == 0 && r.Start.IsZero() }

// dropped says where the frames of a trial went.
func dropped(l weir.Ledger) string {
	if len(l.Drops) == 0 {
		return "no counter of the DUT says where they went: check its addresses, routes and filters"
	}
	s := "its counters:"
	for _, d := range l.Drops {
		s += fmt.Sprintf(" %s %d", d.Place, d.Count)
	}
	return s
}
