// Package report renders a campaign: a page to look at, text for a terminal,
// and formats for other programs. What single results say comes from package
// figures; what runs prove is put into words here.
//
// A report is made of a weir.Campaign and nothing else, so that it can be made
// again years later. The package measures nothing, reads no store, opens no
// file and no network connection, and judges no difference: package proof does.
package report

import (
	"fmt"
	"io"
	"slices"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/method"
	"weir/internal/result"
)

// Options are how much of a campaign is shown. The zero value is what suits a
// terminal of 100 columns.
type Options struct {
	Width   int    // columns of the terminal; 0: 100
	Verbose bool   // text: all that is known, in place of what matters first
	Files   string // page: where the campaign is in a format, which comes behind that: "/c/ID/report."; "": CSV and JSON are in the page
	Trials  bool   // text, Markdown: a table of the trials, too; CSV: the trials in place of the results; JSON: the trials with their telemetry, too
}

// Write writes a campaign, finished or not, in one of the Formats. Of results
// that go round it shows those of the last round, which hold all before.
func (o Options) Write(w io.Writer, format string, c weir.Campaign) error {
	f, err := find(format, "a campaign is", Formats())
	if err != nil {
		return err
	}
	return f.campaign(w, lastRound(c), o)
}

// Page returns the page of a campaign, finished or not, before it is written.
func (o Options) Page(c weir.Campaign) document.Document {
	return reportedOf(lastRound(c), page, o).document()
}

// lastRound returns a campaign with the results of its last round alone.
func lastRound(c weir.Campaign) weir.Campaign {
	c.Results = method.Raise(weir.Latest(c.Results))
	return c
}

// A view is a campaign as a report shows it: an experiment with what its runs
// prove and one result in place of those of all runs at the same levels, all
// else as it is.
type view struct {
	Campaign   weir.Campaign // pooled, without trials, where it is an experiment
	Grid       figures.Grid
	Experiment bool
	Study      study   // the first, or only one
	Others     []study // along the other factors of what others published

	Plain    *view         // what a campaign of runs has measured once, before its runs; nil: nothing
	Complete weir.Campaign // both
	All      figures.Grid  // of both
}

// tables are the main table and the further results. Of an experiment that was
// imported there are none: the matrices have all of it. Sweeps have a table of
// their own; they are among the further results where their curves are wanted.
func (v view) tables(curves bool) (document.Table, []figures.Finding) {
	if v.Experiment && v.Grid.Imported {
		return document.Table{}, nil
	}
	return figures.ResultsTable(v.Grid), figures.FurtherOf(v.Campaign, v.Grid, curves)
}

func viewOf(c weir.Campaign) view {
	c = figures.WithTransfers(c)
	once, several := splitRuns(c)
	all := studiesOf(several)
	if len(all) == 0 {
		g := figures.GridOf(c)
		return view{Campaign: c, Grid: g, Complete: c, All: g}
	}
	v := view{Experiment: true, Study: all[0], Others: all[1:]}
	e := v.Study.Experiment
	if known := c.Manifest.Experiment; known != nil {
		e = *known
	}
	var runs [][]*weir.Result
	v.Campaign, runs = result.Pool(several, e)
	v.Grid = figures.GridOfRuns(v.Campaign, runs)
	v.Complete, v.All = v.Campaign, v.Grid
	if len(once.Results) > 0 {
		v.join(once, runs)
	}
	return v
}

// splitRuns returns the results of a campaign that were measured once, with their trials,
// and all the others: those of runs, where there are any.
func splitRuns(c weir.Campaign) (once, runs weir.Campaign) {
	inRun := func(r weir.Result) bool { return r.Run.Number > 0 }
	if c.Manifest.Imported != nil || !slices.ContainsFunc(c.Results, inRun) {
		return weir.Campaign{}, c
	}
	once, runs = c, c
	once.Manifest.Experiment = nil
	once.Results, once.Trials = nil, nil
	for i := range c.Trials { // trials are large, and mostly of runs
		if c.Trials[i].Trial.Run == 0 {
			once.Trials = append(once.Trials, c.Trials[i])
		}
	}
	if slices.ContainsFunc(c.Results, func(r weir.Result) bool { return !inRun(r) }) { // so are results
		once.Results = slices.DeleteFunc(slices.Clone(c.Results), inRun)
		runs.Results = slices.DeleteFunc(slices.Clone(c.Results), func(r weir.Result) bool { return !inRun(r) })
	}
	return once, runs
}

// join puts what was measured once before what the runs have found.
func (v *view) join(once weir.Campaign, runs [][]*weir.Result) {
	n := len(once.Results)
	v.Complete = once
	v.Complete.Results = slices.Concat(once.Results, v.Campaign.Results)
	v.All = figures.GridOfRuns(v.Complete, slices.Concat(make([][]*weir.Result, n), runs))
	v.Campaign.Results, once.Results = v.Complete.Results[n:], v.Complete.Results[:n]
	v.Grid = figures.GridOfRuns(v.Campaign, runs)
	plain := figures.GridOf(once)
	v.Grid.Named = figures.Claims(v.All)
	plain.Named = v.Grid.Named
	v.Plain = &view{Campaign: once, Grid: plain, Complete: once, All: plain}
}

// plain is what was measured once: all of a campaign that is no experiment.
func (v view) plain() (view, bool) {
	if v.Plain != nil {
		return *v.Plain, true
	}
	return v, !v.Experiment
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
	return fmt.Sprintf("%s runs, looked at by %s, each with all else the same, %s", figures.Number(float64(v.runs()), 0), figures.Enumerated(factors), v.Study.ordered())
}

// runs is how many there are.
func (v view) runs() int {
	n := 0
	for _, c := range v.Study.values() {
		n += len(c.Runs)
	}
	return n
}

// disturbance returns what disturbed a campaign, and what that is called: that
// its machine was disturbed or, of an experiment, which runs do not count. What
// disturbed a trial and spoilt no run is none.
func (v view) disturbance(c weir.Campaign) (label, text string) {
	if v.Experiment {
		return "left out", v.Study.leftText()
	}
	return "disturbed", figures.WhatDisturbed(c)
}
