package report

import (
	"weir"
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
