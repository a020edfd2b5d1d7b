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

// errDiverged says that a step asks for another trial than the one recorded
// next: these are not its trials.
var errDiverged = errors.New("the recorded trials are those of another step")

// recording is what is on disk of a campaign that goes on. The campaign is run
// once more from its beginning, and the trials that are asked for are those
// recorded, for as long as they are the same; then it is measured.
//
// A step that has a result is told by that: its trials follow on the result's
// first one. Other trials are loose: of self-tests and probes, of the step that
// was interrupted, which come last, and of steps that failed while others went
// on, which are not gone on with but measured anew.
type recording struct {
	trials  []weir.TrialResult
	keys    []string // of the trials
	loose   []bool   // which of the trials have no result
	used    []bool   // which of the trials have come up
	results []weir.Result
	taken   []bool // which of the results have come up
	last    int    // greatest number of a trial

	// Of the step under way.
	begin int  // its first trial, where a result says so; -1: a loose one
	tried int  // where the next loose one is looked for
	first int  // its first trial; -1: it has asked for none
	at    int  // the one after its last
	live  bool // whether it is measured by now
}

func newRecording(c weir.Campaign) *recording {
	p := &recording{
		trials: c.Trials, loose: make([]bool, len(c.Trials)), used: make([]bool, len(c.Trials)),
		results: c.Results, taken: make([]bool, len(c.Results)),
	}
	for i, t := range c.Trials {
		p.keys = append(p.keys, trialKey(t.Trial, t.Attempts))
		p.last = max(p.last, t.Trial.Number)
		p.loose[i] = !slices.ContainsFunc(c.Results, func(r weir.Result) bool {
			return r.Method == t.Trial.Purpose && r.First <= t.Trial.Number && t.Trial.Number <= r.Last
		})
	}
	return p
}

// trialKey is the same for trials that ask for the same, in the same attempt.
// A capture is known by its sum, wherever its file lies by now.
func trialKey(t weir.Trial, attempt int) string {
	t.Number = 0
	if t.Traffic.Replay != nil {
		capture := *t.Traffic.Replay
		capture.File = ""
		t.Traffic.Replay = &capture
	}
	text, err := json.Marshal(t)
	if err != nil {
		return fmt.Sprintf("%+v", t) // a load that is no number: it is in no record
	}
	return fmt.Sprintf("%d %s", attempt, text)
}

// beginnings are where a step may have begun: the trials that its results say,
// and then -1 for loose ones.
func (p *recording) beginnings(method string, f weir.Factors, run weir.Run) []int {
	var out []int
	for i, r := range p.results {
		if p.taken[i] || r.Method != method || r.Run != run || levelsOf(r.Factors) != levelsOf(f) {
			continue
		}
		at := slices.IndexFunc(p.trials, func(t weir.TrialResult) bool { return t.Trial.Number == r.First })
		if at >= 0 && !p.used[at] && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return append(out, -1)
}

// from enters a step at one of its beginnings.
func (p *recording) from(begin int) {
	p.begin, p.tried = begin, 0
	p.again()
}

// again enters the step once more, which may have begun with a later trial.
func (p *recording) again() { p.first, p.at, p.live = -1, 0, false }

// recorded reports whether the trials of the step under way so far were all
// measured before.
func (p *recording) recorded() bool { return p.first >= 0 && !p.live }

// leave marks the trials of a step as its own.
func (p *recording) leave() {
	for i := max(p.first, 0); i < p.at; i++ {
		p.used[i] = true
	}
}

// take is the recorded trial that is asked for. It is false when there is none
// and the step has to be measured, from here on or from its beginning.
func (p *recording) take(t weir.Trial, attempt int) (weir.TrialResult, bool, error) {
	if p.live || len(p.trials) == 0 {
		return weir.TrialResult{}, false, nil
	}
	key := trialKey(t, attempt)
	next := p.at
	if p.first < 0 {
		if next = p.begin; next < 0 {
			next = p.nextLoose(key)
		}
		if next == len(p.trials) {
			p.live = true
			return weir.TrialResult{}, false, nil
		}
		p.first = next
	}
	switch {
	case next < len(p.trials) && p.keys[next] == key:
		p.at = next + 1
		return p.trials[next], true, nil
	case p.closed(), attempt > 1 && next < len(p.trials):
		return weir.TrialResult{}, false, plan.ErrOutOfTime // so it was then
	case p.begin >= 0, next < len(p.trials):
		p.at = p.first
		return weir.TrialResult{}, false, errDiverged
	}
	p.live = true
	return weir.TrialResult{}, false, nil
}

// nextLoose is the next loose trial that is alike.
func (p *recording) nextLoose(key string) int {
	for ; p.tried < len(p.trials); p.tried++ {
		if i := p.tried; p.loose[i] && !p.used[i] && p.keys[i] == key {
			p.tried++
			return i
		}
	}
	return len(p.trials)
}

// closed reports whether the trials of the step so far have a result: then it
// had no time for more.
func (p *recording) closed() bool {
	if p.at <= p.first {
		return false
	}
	method := p.trials[p.first].Trial.Purpose
	first, last := p.trials[p.first].Trial.Number, p.trials[p.at-1].Trial.Number
	return slices.ContainsFunc(p.results, func(r weir.Result) bool { return r.Method == method && r.First == first && r.Last == last })
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
func (r *run) replayed(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
		if err := ctx.Err(); err != nil {
			return weir.TrialResult{}, err
		}
		before := r.past.live
		res, ok, err := r.past.take(t, attempt(ctx))
		switch {
		case err != nil:
			return weir.TrialResult{}, err
		case ok:
			r.inStep += r.plan.TrialCost(t.Length())
			return res, nil
		case r.past.live && !before: // time has passed for the step before the interruption
			r.began = time.Now().Add(-r.inStep)
		}
		return measure(ctx, t)
	}
}

// perform runs a method, on the recorded trials first. Where these turn out to
// be another step's it begins again, and at last is measured. What was found
// after the trials that it replays is no past for it: it was none then. Trials
// that were disturbed are repeated, or all count as they are.
func (r *run) perform(ctx context.Context, m method.Method, env method.Env, params method.Params, repeat bool) ([]weir.Result, error) {
	past, measure := env.Past, env.Measure
	for _, begin := range r.past.beginnings(m.Name, env.Factors, r.current) {
		env.Past = past
		if begin >= 0 {
			number := r.past.trials[begin].Trial.Number
			env.Past = slices.DeleteFunc(slices.Clone(past), func(res weir.Result) bool { return res.Last >= number })
		}
		for r.past.from(begin); ; r.past.again() {
			r.inStep = 0
			if repeat {
				env.Measure = repeated(measure, r.repetitions())
			}
			results, err := m.Run(ctx, env, params)
			strange := begin >= 0 && !slices.ContainsFunc(results, func(res weir.Result) bool {
				return err == nil && r.past.result(res) >= 0 || errors.Is(err, plan.ErrOutOfTime)
			})
			// A DUT that forwarded nothing then may forward now, and a transfer that
			// broke off come to its end.
			var nothing *method.NothingForwardedError
			unmeasured := slices.ContainsFunc(results, func(res weir.Result) bool { return res.Unmeasured != "" })
			stale := (errors.As(err, &nothing) || unmeasured) && r.past.recorded()
			if !errors.Is(err, errDiverged) && !strange && !stale {
				r.past.leave()
				return results, err
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if begin >= 0 {
				break
			}
		}
	}
	return nil, errDiverged // a loose beginning is measured at last
}
