package campaign

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/plan"
	"weir/internal/warning"
)

// repeats is how often a disturbed trial is measured again at most.
const repeats = 1

// repeatShare is the most of a step's time that goes into measuring trials
// again. Where the machine is disturbed all the time that would double what a
// search costs and end its time, and not the disturbance.
const repeatShare = 0.25

// repetitions are what a step has spent until now. They follow from its trials
// alone, recorded or measured, so that a step that is replayed repeats the same
// ones.
type repetitions struct {
	cost  func(weir.Trial) time.Duration
	spent time.Duration // on all trials
	again time.Duration // of that on trials that were measured again
}

// allow reports whether a trial may be measured again: the first one of a step
// whatever it takes, and others within their share of the time.
func (p *repetitions) allow(t weir.Trial) bool {
	cost := p.cost(t)
	return p.again == 0 || (p.again+cost).Seconds() <= repeatShare*(p.spent+cost).Seconds()
}

// add counts an attempt, from 1, that was made.
func (p *repetitions) add(t weir.Trial, attempt int) {
	p.spent += p.cost(t)
	if attempt > 1 {
		p.again += p.cost(t)
	}
}

// repetitions are those of a step that begins.
func (r *run) repetitions() *repetitions {
	return &repetitions{cost: func(t weir.Trial) time.Duration { return r.plan.TrialCost(t.Length()) }}
}

// repeated measures a trial again that lost frames while the tester or the
// hypervisor failed, or in which the generator did not run: such a trial says nothing about
// the DUT. Any other one without loss is good whatever happened, and a load that the tester cannot reach
// (limited) will not be reached by trying again. Every attempt is a trial of
// its own in the store; the one that counts knows how many there were. Of a trial
// of windows those are left out that were disturbed, and one that asks for signs of
// life (Trial.Probe) decides nothing by what it lost.
func (p *repetitions) repeated(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	var because []string
	var before []weir.Warning // why attempts before the last one were measured again themselves
	var last weir.TrialResult
	for {
		r, err := measure(context.WithValue(ctx, attemptKey{}, len(because)+1), t)
		if errors.Is(err, plan.ErrOutOfTime) && len(because) > 0 {
			return last, nil // there is no time for another attempt
		}
		if err != nil {
			return r, err
		}
		r.Attempts = len(because) + 1
		p.add(t, r.Attempts)
		fault := disturbance(r)
		lossy := !t.Maximum && !t.Bypass || warning.Of(weir.WarningCode(fault)).Repeats == warning.Always // loss is what these are for
		if fault == "" || len(t.Windows) > 0 || t.Probe || !lossy || len(because) == repeats || !p.allow(t) {
			if len(because) > 0 {
				r.Warnings = append(slices.Clone(r.Warnings), weir.Warn(weir.TrialRepeated, "a trial was measured again because it was disturbed (%s); all attempts are in the store", strings.Join(because, ", ")))
				for _, w := range before {
					r.Warnings = weir.AddWarning(r.Warnings, w)
				}
			}
			return r, nil
		}
		because, last = append(because, fault), r
		for _, w := range r.Warnings {
			if w.Code == weir.TrialRepeated {
				before = append(before, w)
			}
		}
	}
}

// attemptKey is the key of the number of an attempt in a context.
type attemptKey struct{}

// attempt is which one of a trial is under way, from 1; 0 where trials are not
// repeated.
func attempt(ctx context.Context) int {
	n, _ := ctx.Value(attemptKey{}).(int)
	return n
}

// disturbance is what disturbed a lossy trial, or "". One in which the generator did not run
// is disturbed whatever it lost: it was another trial than the one that was asked for.
func disturbance(r weir.TrialResult) string {
	lossy := r.LossRatio() > 0 && !has(r, weir.TesterLimited)
	var worst warning.Kind
	for k := range warning.Kinds() {
		if has(r, k.Code) && k.Repeats > worst.Repeats && (lossy || k.Repeats == warning.Always) {
			worst = k
		}
	}
	return string(worst.Code)
}

func has(r weir.TrialResult, codes ...weir.WarningCode) bool {
	return weir.HasWarning(r.Warnings, codes...)
}
