package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
)

// readings are what differs most between the arms of the comparison that leads,
// in relation; nothing where the trials have no readings.
func (s study) readings(c weir.Campaign) document.Table {
	l, any := s.lead()
	if !any || len(c.Trials) == 0 {
		return document.Table{}
	}
	var heads []string
	for _, a := range compared(l.Comparison) {
		heads = append(heads, s.short(a.Arm))
	}
	t := figures.ReadingsOf(armNames(l.Comparison), heads, figures.MeasuredOf(c, l.Comparison))
	t.Title = s.subject(l.Comparison)
	return t
}

// readings are those of the trials behind the first result of each row.
func (v view) readings(c weir.Campaign) document.Table {
	var labels []string
	trials := map[string][]weir.TrialResult{}
	for _, w := range v.Grid.Rows {
		if len(labels) == figures.MaxReadRows {
			break
		}
		all := figures.Readable(c, w.Results[0])
		if len(all) > 0 && trials[w.Label] == nil {
			labels, trials[w.Label] = append(labels, w.Label), all
		}
	}
	if len(labels) == 0 {
		return document.Table{}
	}
	t := figures.ReadingsOf(labels, labels, trials)
	t.Title = figures.Sought(*v.Grid.Rows[0].Results[0])
	return t
}

func armNames(c proof.Comparison) []string {
	var out []string
	for _, a := range compared(c) {
		out = append(out, a.Arm)
	}
	return out
}

// flameWidth is that of flame graphs in SVG units.
const flameWidth = 1080

// maxFlames is the most flame graphs of a page.
const maxFlames = 6

// flames are the flame graphs of a campaign. Of an experiment each arm has one,
// of what was sent first, and each but the baseline one that shows how it
// differs from it.
func (s study) flames(c weir.Campaign) []document.Block {
	profiles, sent := profilesOf(c)
	if len(profiles) == 0 {
		return nil
	}
	var out []document.Block
	var baseline *weir.Profile
	for i, arm := range s.Experiment.Arms {
		p, there := profiles[arm]
		if !there || len(out) >= maxFlames {
			continue
		}
		title := arm + document.On(", ", sent)
		out = append(out, document.Picture{Title: title, Note: sampled(p), Graph: chart.Flame(p, flameWidth)})
		if i == 0 {
			baseline = &p
		} else if baseline != nil {
			out = append(out, document.Picture{Title: arm + " against " + s.Experiment.Arms[0],
				Note: "The width is that of " + arm + "; warm colours are of more time than before, cold ones of less.", Graph: chart.FlameDiff(*baseline, p, flameWidth)})
		}
	}
	return slices.DeleteFunc(out, func(b document.Block) bool { return b.(document.Picture).Graph == "" })
}

// flamesOf are those of a campaign that is no experiment: one for each traffic.
func flamesOf(c weir.Campaign) []document.Block {
	var out []document.Block
	for _, t := range c.Trials {
		if t.Profile == nil || len(out) >= maxFlames {
			continue
		}
		if g := chart.Flame(*t.Profile, flameWidth); g != "" {
			out = append(out, document.Picture{Title: fmt.Sprintf("trial %d, %s", t.Trial.Number, t.Trial.Traffic.Name), Note: sampled(*t.Profile), Graph: g})
		}
	}
	return out
}

// profilesOf are the profiles of each arm, all runs together, of the traffic
// that the first of them was taken with.
func profilesOf(c weir.Campaign) (map[string]weir.Profile, string) {
	arms := make(map[int]string) // by run
	for _, r := range c.Results {
		if !r.Run.Again {
			arms[r.Run.Number] = r.Run.Arm
		}
	}
	out := make(map[string]weir.Profile)
	sent, way, found := "", false, false
	for _, t := range c.Trials {
		arm, there := arms[t.Trial.Run]
		if t.Profile == nil || !there {
			continue
		}
		if !found {
			sent, way, found = t.Trial.Traffic.Name, t.Trial.Traffic.Backward, true
		}
		if t.Trial.Traffic.Name == sent && t.Trial.Traffic.Backward == way {
			out[arm] = merged(out[arm], *t.Profile)
		}
	}
	if _, err := strconv.Atoi(sent); err == nil {
		sent += "-octet frames"
	}
	return out, sent
}

// merged is a profile of the samples of both.
func merged(a, b weir.Profile) weir.Profile {
	out := weir.Profile{Hertz: b.Hertz, Samples: a.Samples + b.Samples, Lost: a.Lost + b.Lost}
	at := make(map[string]int)
	for _, k := range slices.Concat(a.Stacks, b.Stacks) {
		key := strings.Join(k.Frames, "\x00")
		i, there := at[key]
		if !there {
			at[key] = len(out.Stacks)
			out.Stacks = append(out.Stacks, k)
			continue
		}
		out.Stacks[i].Samples += k.Samples
	}
	slices.SortStableFunc(out.Stacks, func(x, y weir.Stack) int { return cmp.Compare(y.Samples, x.Samples) })
	return out
}

// sampled says how a profile was taken.
func sampled(p weir.Profile) string {
	text := fmt.Sprintf("%s samples at %s Hz", figures.Count(p.Samples), figures.Number(p.Hertz, 0))
	if p.Lost > 0 {
		text += fmt.Sprintf(", %s lost", figures.Count(p.Lost))
	}
	return text
}
