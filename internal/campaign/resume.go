package campaign

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/frame"
)

// What a manifest says of how a plan was read, by which it can be read again.
const (
	ofPlan        = "plan"
	settingFolder = "folder" // that the names of files in the plan are relative to
	settingCut    = "cut down by"
	quickFlag     = "--quick"
)

// settings are what a manifest says of the plan beside its text.
func (p Plan) settings() []weir.Setting {
	var out []weir.Setting
	if p.Quick {
		out = append(out, weir.Setting{Where: ofPlan, Name: settingCut, Value: quickFlag})
	}
	for _, t := range p.Traffic {
		if t.Replay != nil {
			return append(out, weir.Setting{Where: ofPlan, Name: settingFolder, Value: p.Folder})
		}
	}
	return out
}

func setting(m weir.Manifest, where, name string) string {
	i := slices.IndexFunc(m.Settings, func(s weir.Setting) bool { return s.Where == where && s.Name == name })
	if i < 0 {
		return ""
	}
	return m.Settings[i].Value
}

// Recorded reads the plan of a recorded campaign, as it was measured: on the
// same kind of testbed, and cut down if it was. Captures that it names are read
// by their path.
func Recorded(c weir.Campaign, captures Captures) (Plan, error) {
	if c.Manifest.Plan == "" {
		return Plan{}, fmt.Errorf("campaign %s ended before its plan was recorded: run it from the beginning", c.ID)
	}
	folder := setting(c.Manifest, ofPlan, settingFolder)
	p, err := ParseWith(c.ID, []byte(c.Manifest.Plan), captures.In(folder))
	if err != nil {
		return p, fmt.Errorf("the plan of campaign %s cannot be read by this weir: %w", c.ID, err)
	}
	p.Folder = folder
	if kind := c.Manifest.Testbed; kind != "" && kind != p.Testbed.Kind {
		t := Testbed{Kind: kind}
		if kind == Sim {
			t = SimulatedTestbed()
		}
		p = p.WithTestbed(t)
	}
	if setting(c.Manifest, ofPlan, settingCut) == quickFlag {
		p = p.Quickly()
	}
	p.Name, p.Text = c.Name, c.Manifest.Plan
	return p, nil
}

// In reads captures by their paths relative to a folder.
func (c Captures) In(folder string) Captures {
	if c == nil {
		return nil
	}
	return func(name string) (*frame.Capture, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		return c(name)
	}
}

// goOn takes over what is recorded of a campaign. Its manifest stays, with a
// note that it went on, and where.
func (r *run) goOn(c weir.Campaign) {
	// What was found until the interruption will be found again, and more; and
	// who goes on will have mended what could not be measured.
	c.Results = slices.DeleteFunc(slices.Clone(c.Results), func(res weir.Result) bool {
		return warned(res, weir.Interrupted) || res.Unmeasured != ""
	})
	r.past = newRecording(c)
	c.Ended = ""
	c.Trials = slices.Clone(c.Trials)
	c.Results = slices.Clone(c.Results)
	ceiling := map[string]float64{}
	for name, rate := range c.Manifest.Ceiling {
		ceiling[name] = rate
	}
	c.Manifest.Ceiling = ceiling
	if len(c.Trials) > 0 {
		now := NewManifest(r.plan, r.lab, time.Now())
		changes := differences(c.Manifest, now)
		r.changed = strings.Join(changes, "; ")
		note := fmt.Sprintf("after trial %d", r.past.last)
		if r.changed != "" {
			note += ", in another environment: " + r.changed
		}
		c.Manifest.Settings = append(slices.Clone(c.Manifest.Settings), weir.Setting{
			Where: "campaign", Name: "went on " + now.Started.UTC().Format(time.DateTime), Value: note})
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
	if r.changed != "" && res.Last > r.past.last {
		res.Warnings = weir.AddWarning(res.Warnings, weir.Warning{Code: weir.MachineChanged,
			Text: "the campaign was interrupted and went on in another environment: " + r.changed})
	}
	return res
}

func warned(r weir.Result, code weir.WarningCode) bool {
	return slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool { return w.Code == code })
}

// foreign says what is recorded that the plan does not ask for: to go on with
// it would be to measure all of that once more, under another heading.
func (r *run) foreign() error {
	var captures []*weir.Replay
	asked := map[string]bool{}
	for _, p := range r.plan.Parts() {
		for _, l := range p.Levels {
			for _, t := range l.Traffic {
				if t.Replay != nil {
					captures = append(captures, t.Replay)
				}
				for _, s := range p.Steps {
					asked[s.Method.Name+levelsOf(l.factors(t))] = true
				}
			}
		}
	}
	for _, t := range r.past.trials {
		was := t.Trial.Traffic.Replay
		if was != nil && len(captures) > 0 && !slices.ContainsFunc(captures, func(is *weir.Replay) bool { return is.SHA256 == was.SHA256 }) {
			return fmt.Errorf("the capture %s is another one than campaign %s began with: its SHA-256 is %s, and it was %s; put the old file back, or begin a new campaign",
				captures[0].File, r.campaign.ID, captures[0].SHA256, was.SHA256)
		}
	}
	for _, res := range r.past.results {
		if !asked[res.Method+levelsOf(res.Factors)] {
			return fmt.Errorf("campaign %s has a result of %s at %s that this plan does not ask for: it is of another plan, or of another weir; begin a new campaign",
				r.campaign.ID, res.Method, levelsOf(res.Factors))
		}
	}
	return nil
}
