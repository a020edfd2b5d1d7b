package campaign

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weir"
	"weir/internal/method"
	"weir/internal/plan"
)

// sharedLevel returns the level that runs made at once are at: that of the first, named
// for all of them.
func sharedLevel(cells []plan.Cell) plan.Level {
	l := cells[0].Level
	if len(cells) > 1 {
		l.Name = "side by side"
		if l.Stratum != "" {
			l.Name = l.Stratum + ", " + l.Name
		}
	}
	return l
}

// trafficOfArms returns the traffic of DUTs side by side: each has as many flows, to
// the routes of its own.
func (r *run) trafficOfArms() weir.Traffic {
	t := plan.Routed(r.build[0].Traffic, weir.RouteSet{})
	t.Arms = len(r.build)
	for _, c := range r.build {
		t.Flows = max(t.Flows, c.Traffic.Flows)
	}
	return t
}

// arms are the DUTs side by side; none where there is one.
func (r *run) arms() []method.Arm {
	if len(r.build) < 2 {
		return nil
	}
	var out []method.Arm
	for _, c := range r.build {
		out = append(out, method.Arm{Name: c.Name(), Condition: c.Level.Condition, Factors: c.Level.Factors(c.Traffic)})
	}
	return out
}

// conditions are those of all DUTs that are there.
func (r *run) conditions() []weir.Condition {
	if len(r.build) < 2 {
		return []weir.Condition{r.level.Condition}
	}
	var out []weir.Condition
	for _, c := range r.build {
		out = append(out, c.Level.Condition)
	}
	return out
}

// probes is how often DUTs are probed before the error is that nothing was sent to one of
// them. Each probe is four times as long as the one before: a tester that began late has
// missed the windows of some, or all of its time.
const probes = 5

// eachForwards makes sure of DUTs side by side that each of them forwards.
func (r *run) eachForwards(ctx context.Context, t weir.Traffic) error {
	var res weir.TrialResult
	var err error
	var unsent, silent []string
	for r.recording.enter(r.key, false); ; r.recording.anew() {
		window := plan.ProbeDuration / 4
		for range probes {
			if res, err = r.measure(ctx, r.probeOfEach(t, window)); err != nil {
				break
			}
			if unsent, silent = r.heard(res); len(unsent) == 0 {
				break
			}
			window *= 4
		}
		if err != nil || len(unsent)+len(silent) == 0 || !r.recording.recorded() {
			break
		}
	}
	switch {
	case err != nil:
		return r.named(&weir.PlaceError{Place: "probe " + weir.WithFrames + t.Name, Err: err})
	case len(silent) > 0:
		return &silentError{fmt.Sprintf("%s forwards nothing: of frames of %s at %g frames/s none came back", strings.Join(silent, ", "), t.Name, probeRate), []string{dropped(res.Ledger)}}
	case len(unsent) > 0:
		return r.named(fmt.Errorf("the tester sent nothing to %s in %d probes "+weir.WithFrames+"%s: it was kept from its CPUs; stop other work and run again", strings.Join(unsent, ", "), probes, t.Name))
	}
	r.forwarded = true
	return nil
}

// probeOfEach is a trial with one window of the probe for each of the DUTs.
func (r *run) probeOfEach(t weir.Traffic, window time.Duration) weir.Trial {
	probe := weir.Trial{Purpose: "probe", Traffic: t, Waits: r.plan.Waits, Beside: r.conditions()}
	for i := range r.build {
		probe.Windows = append(probe.Windows, weir.Window{Intended: probeRate, Duration: window, Side: i + 1})
	}
	return probe
}

// heard are the names of the DUTs to which a probe sent nothing, and of those that
// forwarded none of it.
func (r *run) heard(probe weir.TrialResult) (unsent, silent []string) {
	for i, w := range probe.Windows {
		switch name := r.build[i].Name(); {
		case w.Sent == 0:
			unsent = append(unsent, name)
		case w.Received == 0:
			silent = append(silent, name)
		}
	}
	return unsent, silent
}
