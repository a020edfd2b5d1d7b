package campaign

import (
	"context"
	"fmt"
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/plan"
)

// standing is the level that runs made at once are at: that of the first, named
// for all of them.
func standing(cells []plan.Cell) plan.Level {
	l := cells[0].Level
	if len(cells) > 1 {
		l.Name = strings.TrimPrefix(l.Stratum+", side by side", ", ")
	}
	return l
}

// besides is the traffic of DUTs that stand side by side: each has as many flows, to
// the routes of its own.
func (r *run) besides() weir.Traffic {
	t := plan.Routed(r.build[0].Traffic, weir.RouteSet{})
	t.Arms = len(r.build)
	for _, c := range r.build {
		t.Flows = max(t.Flows, c.Traffic.Flows)
	}
	return t
}

// arms are the DUTs that stand side by side; none where there is one.
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

// conditions are those of all DUTs that stand there.
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

// eachForwards makes sure of DUTs side by side that each of them forwards.
func (r *run) eachForwards(ctx context.Context, t weir.Traffic) error {
	probe := weir.Trial{Purpose: "probe", Traffic: t, Waits: r.plan.Waits, Beside: r.conditions()}
	for i := range r.build {
		probe.Windows = append(probe.Windows, weir.Window{Intended: probeRate, Duration: plan.ProbeDuration / 4, Side: i + 1})
	}
	var res weir.TrialResult
	var err error
	var silent []string
	for r.past.from(-1); ; r.past.again() {
		silent = nil
		if res, err = r.measure(ctx, probe); err != nil {
			break
		}
		for i, w := range res.Windows {
			if w.Received == 0 && w.Sent > 0 {
				silent = append(silent, r.build[i].Name())
			}
		}
		if len(silent) == 0 || !r.past.recorded() {
			break
		}
	}
	r.past.leave()
	if err != nil {
		return r.named(fmt.Errorf("probe with frames of %s: %w", t.Name, err))
	}
	if len(silent) > 0 {
		return &silentError{fmt.Sprintf("%s forwards nothing: of frames of %s at %g frames/s none came back", strings.Join(silent, ", "), t.Name, probeRate), []string{dropped(res.Ledger)}}
	}
	r.forwarded = true
	return nil
}
