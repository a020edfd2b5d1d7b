package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/chart"
)

var (
	//go:embed page/report.html
	pageText string
	//go:embed page/report.css
	pageStyle string

	//go:embed page/study.html
	studyText string
	//go:embed page/study.css
	studyStyle string
	//go:embed page/brand.html
	brandText string

	pageTemplate = template.Must(template.Must(template.Must(template.Must(template.New("report").Funcs(pageFuncs).Parse(pageText)).Parse(studyText)).Parse(brandText)).Parse(tableText))
)

// A page is what the template shows.
type page struct {
	Campaign    weir.Campaign
	Style       template.CSS
	Title       string
	Headline    string // that does not break within a number and its unit
	But         string // what goes with it
	Unfinished  string
	Reasons     []reason // why it is
	Trouble     string   // what TroubleText is about
	TroubleText string   // that the machine was busy, or which runs do not count; ""
	Origin      string
	Started     string
	Simulated   bool
	Main        *weir.Result // the one that the headline is about
	Tiles       []tile
	Table       table
	Knees       table // of sweeps
	KneeNotes   []string
	Trust       string
	Sweep       *figure // loss over load
	Runs        *page   // what runs found beside that; nil: there are none, or nothing else
	Part        bool    // it is such a part of a page
	Procedures  []procedure
	Notes       []string
	Rate        *figure
	Latency     *figure
	Loss, CPU   []figure
	LossRate    *figure
	Overload    []overloadFigure
	Scales      []figure // over factors that are numbers
	Times       []figure // timelines of trials
	Further     []finding
	Readings    table // of what was measured once
	Ledgers     []ledgerLine
	Doubts      []doubt
	Claims      []numbered
	Misses      []miss
	Settings    []settingGroup
	Transfers   *transferPage // nil: there are none
	Trials      []trialLine   // of test frames
	Moved       []transferLine
	Hidden      int          // trials beyond these
	Study       *studyPage   // nil: it is no experiment
	Others      []*studyPage // along other factors
	Warned      []string     // the warnings of an experiment's trials
	Flames      []flamePlot
	Imported    bool
}

// Ranges and Verdicts report whether any further result has one.
func (p page) Ranges() bool {
	return slices.ContainsFunc(p.Further, func(f finding) bool { return f.Range != "" })
}

// Verdicts is as Ranges.
func (p page) Verdicts() bool {
	return slices.ContainsFunc(p.Further, func(f finding) bool { return f.Verdict != "" })
}

// Corner is the heading over what was sent of the further results.
func (p page) Corner() string {
	if p.Transfers != nil && len(p.Table.Rows) == 0 {
		return "Transfer"
	}
	return "Frame"
}

// Columns is the number of columns of the further results.
func (p page) Columns() int {
	n := 4
	for _, there := range []bool{p.Ranges(), p.Verdicts()} {
		if there {
			n++
		}
	}
	return n
}

// Many reports whether there are more loss charts than one looks at.
func (p page) Many() bool { return len(p.Loss) > 6 }

// Even reports whether the loss charts fill rows of two, or one alone its row.
func (p page) Even() bool { return len(p.Loss) == 1 || len(p.Loss)%2 == 0 && len(p.Loss)%3 != 0 }

// Listed is the number of trials that the page lists.
func (p page) Listed() int { return len(p.Trials) + len(p.Moved) }

// ListsProcedures reports whether there is something to say of how results were
// measured that have no table here.
func (p page) ListsProcedures() bool { return p.Transfers != nil && len(p.Procedures) > 0 }

// maxTrials is the most trials that a page lists.
const maxTrials = 500

// A numbered claim is one that the result table refers to.
type numbered struct {
	earned
	Nr int
}

// writeHTML writes one file that needs nothing else: no script, no font, no
// network.
func writeHTML(w io.Writer, c weir.Campaign, _ Options) error {
	v := viewOf(c)
	plain, any := v.plain()
	if !any {
		plain = v
	}
	g := plain.Grid
	p := page{
		Campaign: plain.Campaign, Style: template.CSS(pageStyle + studyStyle), Origin: origin(c.Manifest, v.All), Simulated: simulated(c), Imported: g.Imported,
		Procedures: procedures(v.Whole, v.All), Notes: explanations(v.Whole, v.All),
		Ledgers: ledgersOf(v.All), Doubts: doubts(g), Settings: settingsOf(c.Manifest),
	}
	for _, d := range p.Doubts {
		d.proper()
	}
	p.Trials, p.Moved, p.Transfers = trialsOf(c), transferLines(c.Trials), transferPageOf(plain)
	p.Hidden = max(0, len(c.Trials)-len(p.Trials)-len(p.Moved))
	_, p.Main = lead(g)
	p.Trouble, p.TroubleText = plain.disturbance(plain.disturbedBy(c))
	p.Trouble = capitalised(p.Trouble)
	p.tables(plain)
	if v.Experiment {
		p.Study, p.Flames = studyPageOf(v.Study, c), v.Study.flames(c)
		p.Study.Design, p.Warned = v.design(), v.warned(c)
		for _, s := range v.Others {
			p.Others = append(p.Others, studyPageOf(s, c))
		}
		p.Title, p.Tiles = capital(v.Study.answer()), v.Study.tiles()
	}
	if any {
		p.Tiles = tilesOf(p.Campaign, g)
		p.Title, p.But = opening(p.Campaign, g)
		p.plot(g.withoutTransfers())
		p.Readings = plain.readings(c)
		if !v.Experiment {
			p.Flames = flamesOf(p.Campaign)
		}
	}
	if v.Plain != nil {
		p.Runs = &page{Part: true, Campaign: v.Campaign, Study: p.Study, Flames: p.Flames, Warned: p.Warned, Transfers: transferPageOf(v)}
		p.Runs.tables(v)
		p.Study, p.Warned, p.Flames = nil, nil, flamesOf(p.Campaign)
	}
	p.Title += "."
	p.Headline = proper(p.Title)
	if c.Ended != "complete" {
		p.Unfinished, p.Reasons = ending(c), reasons(c)
	}
	if !c.Manifest.Started.IsZero() {
		p.Started = c.Manifest.Started.UTC().Format("2 January 2006, 15:04 ") + time.UTC.String()
	}
	p.Misses = misses(claims(v.All))
	for i, e := range claims(v.All) {
		p.Claims = append(p.Claims, numbered{e, i + 1})
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// tables are those of a view.
func (p *page) tables(v view) {
	p.Table, p.Further = v.tables(true)
	for i := range p.Further {
		p.Further[i].micro()
	}
	p.Knees = sweptTable(v.Grid)
	p.KneeNotes = sweptNotes(v.Grid)
	if len(p.Knees.Rows) > 0 && !v.Experiment {
		p.Trust = proper(trustOf(v.Campaign, v.Grid).String())
	}
}

// micro gives microseconds their proper letter.
func (f *finding) micro() {
	proper := strings.NewReplacer(" us", " µs")
	f.Label, f.Value, f.Range = arrows.Replace(f.Label), proper.Replace(f.Value), proper.Replace(f.Range)
	for i := range f.Figures {
		f.Figures[i].Value = proper.Replace(f.Figures[i].Value)
	}
}

func (p *page) plot(g grid) {
	var charts []chart.Chart
	var places []**figure
	for _, o := range []struct {
		chart chart.Chart
		place **figure
	}{{ratePlot(g), &p.Rate}, {latencyPlot(p.Campaign, g), &p.Latency}, {lossRatePlot(g), &p.LossRate}} {
		if !o.chart.Empty() {
			charts, places = append(charts, o.chart), append(places, o.place)
		}
	}
	for i, f := range figuresOf(charts) {
		*places[i] = &f
	}
	if c := sweepPlot(p.Campaign, g); !c.Empty() {
		f := figureOf(c)
		f.Wide = c.SVG(1080, 400)
		p.Sweep = &f
	}
	p.Overload = overloadFigures(g)
	p.Loss = figuresOf(lossPlots(p.Campaign, g))
	p.Scales = figuresOf(factorPlots(g))
	p.Times = figuresOf(timelinePlots(p.Campaign, g))
	p.CPU = figuresOf(slices.DeleteFunc(cpuPlots(g), chart.Chart.Empty))
}

// figuresOf are charts that stand side by side in pairs; the last one of an odd
// number has all the width.
func figuresOf(charts []chart.Chart) []figure {
	var out []figure
	for i, c := range charts {
		f := figureOf(c)
		if len(charts)%2 == 1 && i == len(charts)-1 {
			f.Wide = c.SVG(1080, 330)
		}
		out = append(out, f)
	}
	return out
}
