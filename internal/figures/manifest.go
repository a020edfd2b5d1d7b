package figures

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/visible"
)

// Everything that a manifest says of an environment, as settings.
func Everything(m weir.Manifest) []weir.Setting {
	out := []weir.Setting{
		{Where: "campaign", Name: "weir", Value: m.Weir}, {Where: "campaign", Name: "kernel", Value: m.Kernel},
		{Where: "campaign", Name: "cpu", Value: processors(m)}, {Where: "campaign", Name: "testbed", Value: m.Testbed},
		{Where: "campaign", Name: "platform", Value: m.Platform}, {Where: "campaign", Name: "tester", Value: m.Backend},
		{Where: "campaign", Name: "simulated", Value: strconv.FormatBool(m.Simulated)},
	}
	if m.Place != "" {
		out = append(out, weir.Setting{Where: "campaign", Name: "place", Value: m.Place})
	}
	for _, n := range RemarksOf(m.Notes) {
		out = append(out, weir.Setting{Where: "campaign", Name: "note " + n.Sign, Value: n.Text + document.On(", of ", n.Where)})
	}
	if m.Imported != nil {
		out = append(out, weir.Setting{Where: "campaign", Name: "imported from", Value: m.Imported.Format + " " + m.Imported.Source})
	}
	return append(out, m.Settings...)
}

// processors are the CPUs of a machine; "unknown" as of a model.
func processors(m weir.Manifest) string {
	switch {
	case m.CPUs == 0 && m.CPUModel == "":
		return "unknown"
	case m.CPUs == 0:
		return m.CPUModel
	case m.CPUModel == "":
		return fmt.Sprintf("%d %s", m.CPUs, Plural(m.CPUs, "CPU"))
	}
	return fmt.Sprintf("%d x %s", m.CPUs, m.CPUModel)
}

// SimulatedMark precedes every answer of a simulated campaign.
func SimulatedMark(c weir.Campaign) string {
	if Simulated(c) {
		return "SIMULATED: "
	}
	return ""
}

// Origin says on which machine a campaign was measured, and at which levels
// that all of its results share.
func Origin(m weir.Manifest, g Grid) string {
	var parts []string
	if m.Kernel != "" {
		parts = append(parts, "kernel "+m.Kernel)
	}
	if m.CPUModel != "" || m.CPUs > 0 {
		parts = append(parts, processors(m))
	}
	if m.Platform == weir.NoDUT {
		parts = append(parts, "no DUT"+document.On(" at ", m.Place)+" ("+m.Testbed+")")
	} else if m.Platform != "" {
		parts = append(parts, "DUT "+m.Platform+document.On(" at ", m.Place)+" ("+m.Testbed+")")
	}
	if m.Backend != "" && m.Imported == nil {
		parts = append(parts, "tester "+m.Backend)
	}
	if m.Imported == nil {
		parts = append(parts, "weir "+m.Weir)
	}
	for _, c := range ChangesOf(g.Common, nil) {
		if m.Imported == nil || c.Level != weir.NotSaid {
			parts = append(parts, c.Text)
		}
	}
	if m.Imported != nil {
		parts = append(parts, published(*m.Imported)) // it ends with a sentence of its own
	}
	return strings.Join(parts, ", ")
}

// published says where results come from that weir did not measure.
func published(i weir.Imported) string {
	text := "imported from " + i.Format
	if i.Source != "" {
		text += " (" + i.Source + ")"
	}
	text += ", published by others; weir did not measure it"
	if i.What != "" {
		text += ". The number is " + strings.TrimSuffix(i.What, ".")
	}
	return text
}

// RemarksOf are the notes of a plan's author with their signs: letters, as claims have
// numbers. Several campaigns may have the same.
func RemarksOf(notes []weir.Note) []*document.Remark {
	var out []*document.Remark
	of := make(map[string][]weir.Note)
	for _, n := range notes {
		if of[n.Text] == nil {
			i := len(out)
			out = append(out, &document.Remark{Text: n.Text, Sign: "[" + strings.Repeat(string(rune('a'+i%26)), i/26+1) + "]"})
		}
		of[n.Text] = append(of[n.Text], n)
	}
	for _, r := range out {
		list := of[r.Text]
		r.Where = aboutWhat(list)
		r.Is = func(of any) bool {
			result, is := of.(*weir.Result)
			return is && slices.ContainsFunc(list, func(n weir.Note) bool { return n.About(*result) })
		}
	}
	return out
}

// aboutWhat is what notes are about, in words: "firewall open, frame size 64"; "" where
// one is about all of a campaign.
func aboutWhat(notes []weir.Note) string {
	var parts []string
	for _, n := range notes {
		if len(n.Of) == 0 {
			return ""
		}
		for _, factor := range slices.Sorted(maps.Keys(n.Of)) {
			parts = With(parts, LevelWords(factor, n.Of[factor]))
		}
	}
	return strings.Join(parts, ", ")
}

// Printable is a campaign whose names fit into a line and a cell of a table,
// whatever those who chose them put in: of the campaign, of factors, levels and
// arms, of traffic, of the files that were imported. Formats for programs have the
// names as they are.
func Printable(c weir.Campaign) weir.Campaign {
	c.Name = visible.Line(c.Name)
	m := &c.Manifest
	if m.Experiment != nil {
		e := *m.Experiment
		e.Arms, e.Reference = allLines(e.Arms), visible.Line(e.Reference)
		e.Factors = slices.Clone(e.Factors)
		for i, f := range e.Factors {
			e.Factors[i].Name, e.Factors[i].Levels = visible.Line(f.Name), allLines(f.Levels)
		}
		e.Levels = make(map[string][]weir.ArmLevel)
		for arm, levels := range m.Experiment.Levels {
			levels = slices.Clone(levels)
			for i, l := range levels {
				levels[i].Factor, levels[i].Name = visible.Line(l.Factor), visible.Line(l.Name)
				f := l.Set.Firewall()
				f.With = visible.Line(f.With)
				levels[i].Set.Put(f)
			}
			e.Levels[visible.Line(arm)] = levels
		}
		m.Experiment = &e
	}
	m.Place = visible.Line(m.Place)
	m.Notes = slices.Clone(m.Notes)
	for i := range m.Notes {
		m.Notes[i].Text = visible.Line(m.Notes[i].Text)
	}
	if m.Imported != nil {
		in := *m.Imported
		in.Source, in.What, in.Notes = visible.Line(in.Source), visible.Line(in.What), allLines(in.Notes)
		m.Imported = &in
	}
	c.Results = slices.Clone(c.Results)
	for i := range c.Results {
		r := &c.Results[i]
		r.Run.Arm, r.Claim.Name, r.Unit = visible.Line(r.Run.Arm), visible.Line(r.Claim.Name), visible.Line(r.Unit)
		factors := make(weir.Factors, len(r.Factors))
		for name, level := range r.Factors {
			if text, ok := level.(string); ok {
				level = visible.Line(text)
			}
			factors[visible.Line(name)] = level
		}
		r.Factors = factors
	}
	c.Trials = slices.Clone(c.Trials)
	for i := range c.Trials {
		t := &c.Trials[i].Trial
		t.Traffic.Name = visible.Line(t.Traffic.Name)
	}
	return c
}

func allLines(texts []string) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = visible.Line(text)
	}
	return out
}
