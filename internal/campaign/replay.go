package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/method"
	"weir/internal/plan"
)

// errDiverged says that a step asks for another trial than the one recorded next.
var errDiverged = errors.New("the recorded trials are not those that are asked for")

// recording is what is on disk of a campaign that goes on. The campaign is run
// once more from its beginning. Each trial says to which step it belongs, so that a
// step takes its own trials from the record, in their order, and then measures.
type recording struct {
	visits  map[string]visit // the last one of each step
	results []weir.Result
	taken   []bool     // which of the results have come up
	last    int        // greatest number of a trial
	end     weir.Trial // the one with that
	load    Load       // nil: all trials are here

	now  visit // of the step under way
	at   int   // how many of its trials have come up
	live bool  // whether it is measured by now
}

// visit are the recorded trials of a step, since it was last begun anew.
type visit struct {
	again  int // how often it had been begun before
	trials []weir.TrialResult
	found  []weir.Result
}

func newRecording(c weir.Campaign, load Load) *recording {
	p := &recording{visits: map[string]visit{}, results: c.Results, taken: make([]bool, len(c.Results)), load: load}
	steps := map[int]weir.Trial{} // by number
	for _, t := range c.Trials {
		v := p.visits[t.Trial.Step]
		if t.Trial.Again > v.again {
			v = visit{again: t.Trial.Again}
		}
		v.trials = append(v.trials, t)
		p.visits[t.Trial.Step] = v
		if t.Trial.Number > p.last {
			p.last, p.end = t.Trial.Number, t.Trial
		}
		steps[t.Trial.Number] = t.Trial
	}
	for _, r := range c.Results {
		first := steps[r.First]
		if v, ok := p.visits[first.Step]; ok && v.again == first.Again {
			v.found = append(v.found, r)
			p.visits[first.Step] = v
		}
	}
	return p
}

// trialKey is the same for trials that ask for the same, in the same attempt.
// A capture is known by its sum, wherever its file lies by now, and a timeline is no part of
// what is sent.
func trialKey(t weir.Trial, attempt int) string {
	t.Number, t.Step, t.Again, t.Resolution = 0, "", 0, 0
	if t.Traffic.Replay != nil {
		capture := *t.Traffic.Replay
		capture.File, capture.Left, capture.Reasons, capture.Flows = "", 0, nil, 0
		t.Traffic.Replay = &capture
	}
	text, err := json.Marshal(t)
	if err != nil {
		return fmt.Sprintf("%+v", t) // a load that is no number: it is in no record
	}
	return fmt.Sprintf("%d %s", attempt, text)
}

// enter begins a step. One that has a result each time it comes to its end, and
// has none on record although others came after it, failed then: it is begun anew.
func (p *recording) enter(step string, results bool) {
	p.now, p.at, p.live = p.visits[step], 0, false
	if n := len(p.now.trials); results && n > 0 && len(p.now.found) == 0 && p.now.trials[n-1].Trial.Number < p.last {
		p.anew()
	}
}

// recall reads the trials of the step under way where the campaign was given without. One that has
// come to its end, as trials of others came after it, has the results that it had; nil: it goes on.
func (p *recording) recall(ctx context.Context) ([]weir.Result, error) {
	if p.load == nil || len(p.now.found) == 0 {
		return nil, nil
	}
	first := p.now.trials[0].Trial
	other := func(t weir.Trial) bool { return t.Step != first.Step || t.Again != first.Again }
	if other(p.end) {
		p.at = len(p.now.trials)
		return slices.Clone(p.now.found), nil
	}
	all, err := p.load(ctx, first.Number, p.last)
	if err != nil {
		return nil, &recordError{"what goes on", err}
	}
	p.now.trials = slices.DeleteFunc(all, func(t weir.TrialResult) bool { return other(t.Trial) })
	return nil, nil
}

// anew begins the step under way once more, to be measured.
func (p *recording) anew() { p.now, p.at, p.live = visit{again: p.now.again + 1}, 0, false }

// recorded reports whether the trials of the step under way so far were all
// measured before.
func (p *recording) recorded() bool { return p.at > 0 && !p.live }

// before are the results that were there when the trials of the step under way were
// measured.
func (p *recording) before(all []weir.Result) []weir.Result {
	if len(p.now.trials) == 0 {
		return all
	}
	first := p.now.trials[0].Trial.Number
	return slices.DeleteFunc(slices.Clone(all), func(r weir.Result) bool { return r.Last >= first })
}

// take is the recorded trial that is asked for. It is false when there is none
// left and the step has to be measured from here on.
func (p *recording) take(t weir.Trial, attempt int) (weir.TrialResult, bool, error) {
	switch {
	case p.live:
		return weir.TrialResult{}, false, nil
	case p.at == len(p.now.trials) && len(p.now.found) > 0, p.at < len(p.now.trials) && attempt > 1 && !p.next(t, attempt):
		return weir.TrialResult{}, false, plan.ErrOutOfTime // so it was then
	case p.at == len(p.now.trials):
		p.live = true
		return weir.TrialResult{}, false, nil
	case !p.next(t, attempt):
		return weir.TrialResult{}, false, errDiverged
	}
	p.at++
	return p.now.trials[p.at-1], true, nil
}

// next reports whether the next recorded trial is the one asked for.
func (p *recording) next(t weir.Trial, attempt int) bool {
	next := p.now.trials[p.at]
	return trialKey(next.Trial, next.Attempts) == trialKey(t, attempt)
}

// result is where the recorded one is that a step has found again; -1 when
// there is none.
func (p *recording) result(r weir.Result) int {
	for i, old := range p.results {
		if !p.taken[i] && old.Method == r.Method && old.First == r.First && old.Last == r.Last && old.Value == r.Value &&
			old.LossRatio == r.LossRatio && old.ExceedRatio == r.ExceedRatio && levelsOf(old.Factors) == levelsOf(r.Factors) {
			return i
		}
	}
	return -1
}

// levelsOf are factors in one form, recorded or not.
func levelsOf(f weir.Factors) string {
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Sprint(f)
	}
	return string(text)
}

// replayed gives the recorded trials for as long as there are any.
func (r *run) replayed(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	if err := ctx.Err(); err != nil {
		return weir.TrialResult{}, err
	}
	before := r.recording.live
	res, ok, err := r.recording.take(t, attempt(ctx))
	switch {
	case err != nil:
		return weir.TrialResult{}, err
	case ok:
		r.inStep += r.plan.TrialCost(t.Length())
		return res, nil
	case r.recording.live && !before: // time has passed for the step before the interruption
		r.began = time.Now().Add(-r.inStep)
	}
	return measure(ctx, t)
}

// perform runs a method, on the recorded trials of its step first. Where these are
// not those that it asks for, or found nothing that can be found today, it begins
// anew. Trials that were disturbed are repeated, unless results are none of its own.
func (r *run) perform(ctx context.Context, m method.Method, env method.Env, params method.Params, results bool) ([]weir.Result, error) {
	past, measure := env.Past, env.Measure
	others := slices.DeleteFunc(slices.Clone(r.campaign.Results), func(res weir.Result) bool { return res.Sweep == nil || len(res.Speeds) == 0 })
	r.recording.enter(r.key, results)
	if ended, err := r.recording.recall(ctx); ended != nil || err != nil {
		return ended, err
	}
	for ; ; r.recording.anew() {
		env.Past, env.Others = r.recording.before(past), r.recording.before(others)
		r.inStep = 0
		if results {
			env.Measure = link(r.repetitions().repeated).around(measure)
		}
		found, err := m.Run(ctx, env, params)
		strange := len(r.recording.now.found) > 0 && !slices.ContainsFunc(found, func(res weir.Result) bool {
			return err == nil && r.recording.result(res) >= 0 || errors.Is(err, plan.ErrOutOfTime)
		})
		// A DUT that forwarded nothing then may forward now, and a transfer that
		// broke off come to its end.
		var nothing *method.NothingForwardedError
		unmeasured := slices.ContainsFunc(found, func(res weir.Result) bool { return res.Unmeasured != "" })
		stale := (errors.As(err, &nothing) || unmeasured) && r.recording.recorded()
		if !errors.Is(err, errDiverged) && !strange && !stale {
			return found, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}
