package report

import (
	"fmt"
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
	Study      study   // the first, or only one
	Others     []study // along the other factors of what others published
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
	c = withTransfers(c)
	all := studiesOf(c)
	if len(all) == 0 {
		return view{Campaign: c, Grid: gridOf(c)}
	}
	v := view{Experiment: true, Study: all[0], Others: all[1:]}
	e := v.Study.Experiment
	if known := c.Manifest.Experiment; known != nil {
		e = *known
	}
	var runs [][]*weir.Result
	v.Campaign, runs = pooled(c, e)
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

// several are the studies of a campaign that is looked at along several factors;
// none where there is one.
func (v view) several() []study {
	if len(v.Others) == 0 {
		return nil
	}
	return append([]study{v.Study}, v.Others...)
}

// design says how the runs were ordered and what counts as a difference.
func (v view) design() string {
	var factors []string
	for _, s := range v.several() {
		factors = append(factors, s.by)
	}
	if len(factors) == 0 {
		return v.Study.design()
	}
	return fmt.Sprintf("%s runs, looked at by %s, each with all else the same, %s", number(float64(v.runs()), 0), enumerated(factors), v.Study.ordered())
}

// runs is how many there are.
func (v view) runs() int {
	n := 0
	for _, c := range v.Study.values() {
		n += len(c.Runs)
	}
	return n
}

// hindrance is what stood in the way of a campaign, and what that is called: that
// its machine was disturbed or, of an experiment, which runs do not count. What
// disturbed a trial and spoilt no run is no hindrance.
func (v view) hindrance(c weir.Campaign) (label, text string) {
	if v.Experiment {
		return "left out", v.Study.leftText()
	}
	return "disturbed", restless(c)
}
