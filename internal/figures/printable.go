package figures

import (
	"slices"

	"weir"
	"weir/internal/visible"
)

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
