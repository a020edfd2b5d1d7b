package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/plan"
)

// Load reads the recorded trials of a campaign with numbers from first to last.
type Load func(ctx context.Context, first, last int) ([]weir.TrialResult, error)

// Recalls reports whether a campaign of a plan that was read from its record (plan.Recorded) can go
// on without the trials of steps that have ended, but for the first one of each result
// (sqlite.Store.Uncovered): their results are taken as they are. Rounds need those of the rounds
// before, and another weir may find something else in them.
func Recalls(c weir.Campaign, p plan.Plan) bool {
	return c.Manifest.Weir == weir.Version && !slices.ContainsFunc(p.Parts(), func(part plan.Plan) bool { return part.Rounds > 1 })
}

// Kept returns the results that a campaign keeps when it goes on.
func Kept(all []weir.Result) []weir.Result {
	return slices.DeleteFunc(slices.Clone(all), func(res weir.Result) bool {
		return weir.HasWarning(res.Warnings, weir.Interrupted) || res.Unmeasured != ""
	})
}

// resumeFrom takes over what is recorded of a campaign. Its manifest stays, with a
// note that it went on, and where.
func (r *run) resumeFrom(c weir.Campaign) {
	// What was found until the interruption will be found again, and more; and
	// who goes on will have mended what could not be measured.
	c.Results = Kept(c.Results)
	r.recording = newRecording(c, r.lab.Load)
	c.Ended, c.Manifest.Failures = "", nil
	c.Trials = slices.Clone(c.Trials)
	c.Results = slices.Clone(c.Results)
	if n := len(c.Trials); n > 0 {
		r.byHand = c.Trials[n-1].Trial.Condition.ByHand()
	}
	ceiling := map[string]float64{}
	for name, rate := range c.Manifest.Ceiling {
		ceiling[name] = rate
	}
	c.Manifest.Ceiling = ceiling
	if len(c.Trials) > 0 {
		now := NewManifest(r.plan, r.lab, time.Now())
		changes := differences(c.Manifest, now)
		r.changed = strings.Join(changes, "; ")
		note := fmt.Sprintf("after trial %d", r.recording.last)
		if r.changed != "" {
			note += ", in another environment: " + r.changed
		}
		c.Manifest.Settings = append(slices.Clone(c.Manifest.Settings), weir.Setting{
			Where: "campaign", Name: "went on " + now.Started.UTC().Format(time.DateTime), Value: note})
	}
	if c.Manifest.Experiment == nil { // somebody has taken it out of the store
		c.Manifest.Experiment = NewManifest(r.plan, r.lab, time.Now()).Experiment
	}
	r.campaign = c
}

// differences are what makes numbers of two environments hard to compare.
func differences(was, is weir.Manifest) []string {
	var out []string
	for _, d := range []struct{ what, was, is string }{
		{"weir", was.Weir, is.Weir},
		{"kernel", was.Kernel, is.Kernel},
		{"CPU", was.CPUModel, is.CPUModel},
		{"number of CPUs", fmt.Sprint(was.CPUs), fmt.Sprint(is.CPUs)},
		{"platform", was.Platform, is.Platform},
		{"tester", was.Backend, is.Backend},
	} {
		if d.was != d.is {
			out = append(out, fmt.Sprintf("%s was %q and is %q", d.what, d.was, d.is))
		}
	}
	return out
}

// environment warns of a result of which trials were measured in another
// environment than the campaign began in.
func (r *run) environment(res weir.Result) weir.Result {
	if r.changed != "" && res.Last > r.recording.last {
		res.Warnings = weir.AddWarning(res.Warnings, weir.Warn(weir.MachineChanged, "the campaign was interrupted and went on in another environment: %s", r.changed))
	}
	return res
}

// checkPlanMatches returns what is recorded that the plan does not ask for: to go on with
// it would be to measure all of that once more, under another heading.
func (r *run) checkPlanMatches() error {
	captures := r.plan.Captures()
	asked := map[string]bool{}
	for _, p := range r.plan.Parts() {
		for _, l := range p.Levels {
			for _, t := range l.Traffic {
				for _, s := range p.Steps {
					asked[s.Method.Name+levelsOf(l.Factors(t))] = true
				}
			}
		}
	}
	for _, t := range r.campaign.Trials {
		if t.Trial.Step == "" {
			return fmt.Errorf("campaign %s was begun by an older weir, which did not record to which step a trial belongs, and cannot be gone on with: begin a new campaign", r.campaign.ID)
		}
		was := t.Trial.Traffic.Replay
		if was != nil && len(captures) > 0 && !slices.ContainsFunc(captures, func(is *weir.Replay) bool { return is.SHA256 == was.SHA256 }) {
			return fmt.Errorf("the capture %s is another one than campaign %s began with: its SHA-256 is %s, and it was %s; put the old file back, or begin a new campaign",
				captures[0].File, r.campaign.ID, captures[0].SHA256, was.SHA256)
		}
	}
	for _, res := range r.recording.results {
		if !asked[res.Method+levelsOf(res.Factors)] {
			return fmt.Errorf("campaign %s has a result of %s at %s that this plan does not ask for: it is of another plan, or of another weir; begin a new campaign",
				r.campaign.ID, res.Method, levelsOf(res.Factors))
		}
	}
	return nil
}
