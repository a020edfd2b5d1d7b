package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/plan"
)

// The loads of the probe in frames/s per port.
const (
	probeRate = 1000.0   // a trickle that any DUT forwards
	moreRate  = 10_000.0 // of a traffic that is new, a load of which most DUTs lose none
)

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
	r.begin(t.Name, "probe", 0, r.plan.TrialCost(plan.ProbeDuration+plan.ProbeMore))
	return r.forwards(ctx, t)
}

// forwards performs the probe of all DUTs that are there.
func (r *run) forwards(ctx context.Context, t weir.Traffic) error {
	if len(r.build) > 1 {
		return r.eachForwards(ctx, r.trafficOfArms())
	}
	return r.oneForwards(ctx, t)
}

// oneForwards performs the probe of a DUT. One that is recorded and brought nothing
// back says nothing about today: whoever goes on will have mended that.
func (r *run) oneForwards(ctx context.Context, t weir.Traffic) error {
	var res weir.TrialResult
	var err error
	probe := weir.Trial{Purpose: "probe", Traffic: t, Intended: probeRate, Waits: r.plan.Waits, Condition: r.level.Condition, Then: r.more(t)}
	for r.recording.enter(r.key, false); ; r.recording.anew() {
		probe.Duration = plan.ProbeDuration
		for range probes {
			res, err = r.measure(ctx, probe)
			if err != nil || !unsent(res) {
				break
			}
			probe.Duration *= 4
		}
		if !errors.Is(err, errDiverged) && (err != nil || res.Received > 0 || !r.recording.recorded()) {
			break
		}
	}
	if err != nil {
		return r.named(&weir.PlaceError{Place: "probe " + weir.WithFrames + t.Name, Err: err})
	}
	switch {
	case unsent(res):
		return r.named(fmt.Errorf("the tester sent nothing in %d probes "+weir.WithFrames+"%s: it was kept from its CPUs; stop other work and run again", probes, t.Name))
	case res.Received == 0:
		also := ""
		if probe.Then != nil {
			also = fmt.Sprintf(" and then %g", probe.Then.Intended)
		}
		text := fmt.Sprintf("the DUT forwards nothing: %d %s at %g frames/s%s, none came back", res.Offered, sentFrames(t), probeRate, also)
		details := []string{dropped(res.Ledger)}
		if r.lab.Diagnose != nil {
			details = append(details, r.lab.Diagnose(ctx, t)...)
		}
		return r.named(&silentError{text, details})
	}
	r.forwarded = true
	if probe.Then != nil {
		r.probed[r.level.Name+plan.TrafficKey(t)] = res
	}
	return nil
}

// sentFrames says which frames a traffic has, and between which addresses the first goes.
func sentFrames(t weir.Traffic) string {
	from, to := t.Forward.Source.First, t.Forward.Destination.First
	if t.Backward {
		from, to = t.Reverse.Source.First, t.Reverse.Destination.First
	}
	if t.Replay == nil {
		return fmt.Sprintf("%s/%s frames of %s from %v to %v", t.Family, t.Protocol, t.Name, from, to)
	}
	c, err := frame.ReadCapture(t.Replay.File)
	if err != nil {
		return "frames of the capture " + t.Name
	}
	text := fmt.Sprintf("frames of the capture %s from %v to %v", t.Name, c.Flows()[0].Source, c.Flows()[0].Destination)
	if more := len(c.Destinations()) - 1; more > 0 {
		text += fmt.Sprintf(" and to %d other addresses", more)
	}
	return text
}

// more is the second load of a probe, of a traffic that has had none at its level: with some
// thousand frames a search knows before its first trial that the DUT loses some of any load.
// It is no more than what the medium carries and what the plan allows.
func (r *run) more(t weir.Traffic) *weir.Phase {
	if _, known := r.probed[r.level.Name+plan.TrafficKey(t)]; known {
		return nil
	}
	load := moreRate
	for _, s := range r.plan.Steps {
		load = min(load, cmp.Or(s.Params.Maximum, load))
	}
	if r.lab.LinkRate > 0 {
		load = min(load, frame.LineRate(r.lab.LinkRate, t.MeanSize()))
	}
	if load <= probeRate {
		return nil
	}
	return &weir.Phase{Intended: load, Duration: plan.ProbeMore}
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
