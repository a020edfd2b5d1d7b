package report

import (
	"strings"

	"weir"
)

// A view is a campaign as a report shows it: an experiment with what its runs
// prove and one result in place of those of all runs at the same levels, all
// else as it is.
type view struct {
	Campaign   weir.Campaign // pooled, without trials, where it is an experiment
	Grid       grid
	Experiment bool
	Study      study
}

// tables are the main table and the further results. Of an experiment that was
// imported there are none: the matrices have all of it.
func (v view) tables() (table, []finding) {
	if v.Experiment && v.Grid.Imported {
		return table{}, nil
	}
	return tableOf(v.Grid), furtherOf(v.Campaign, v.Grid)
}

func viewOf(c weir.Campaign) view {
	s, experiment := studyOf(c)
	if !experiment {
		return view{Campaign: c, Grid: gridOf(c)}
	}
	v := view{Experiment: true, Study: s}
	var runs []int
	v.Campaign, runs = pooled(c, s.Experiment)
	v.Grid = gridOfRuns(v.Campaign, runs)
	return v
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
