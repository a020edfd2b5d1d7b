package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/result"
)

// campaignRow is the factor that campaigns are, among several of them.
const campaignRow = "campaign"

// WriteSeveral writes campaigns in one table for each thing that was measured, in one
// of the formats that write several: a row for each system that a campaign has measured, or for each level
// of the factor that rows names, and a column for each combination of all other levels. Of runs it
// has the medians. As CSV and benchfmt it is what they are one after the other, as
// JSON an array. It proves nothing: proof.Between does. It is an error when a factor
// is named that no result has.
func (o Options) WriteSeveral(w io.Writer, format string, cs []weir.Campaign, rows string) error {
	f, err := find(format, "several campaigns are", severalFormats())
	if err != nil {
		return err
	}
	cs = slices.Clone(cs)
	for i, c := range cs {
		cs[i] = lastRound(c)
	}
	return f.several(w, cs, cmp.Or(rows, campaignRow), o)
}

func severalCSV(w io.Writer, cs []weir.Campaign, _ string, _ Options) error {
	return figures.CSVOf(w, cs...)
}

func severalJSON(w io.Writer, cs []weir.Campaign, _ string, o Options) error {
	var all []json.RawMessage
	for _, c := range cs {
		var b bytes.Buffer
		if err := writeJSON(&b, c, o); err != nil {
			return err
		}
		all = append(all, b.Bytes())
	}
	return writeIndented(w, all)
}

func severalBenchfmt(w io.Writer, cs []weir.Campaign, _ string, o Options) error {
	for _, c := range cs {
		if err := writeBenchfmt(w, c, o); err != nil {
			return err
		}
	}
	return nil
}

// severalAs returns what writes several campaigns as a document; with charts where it has
// room.
func severalAs(r renderer, room bool) func(io.Writer, []weir.Campaign, string, Options) error {
	return func(w io.Writer, cs []weir.Campaign, rows string, _ Options) error {
		d, err := documentOfSeveral(cs, rows, room)
		if err != nil {
			return err
		}
		return r.write(w, d)
	}
}

// labelsOf names campaigns: by their names, with the ends of their ids where several
// have the same.
func labelsOf(cs []weir.Campaign) []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = cmp.Or(c.Name, c.ID)
		if c.Name != "" && slices.ContainsFunc(cs, func(o weir.Campaign) bool { return o.Name == c.Name && o.ID != c.ID }) {
			out[i] += " " + endOfID(c, cs)
		}
		if figures.Simulated(c) {
			out[i] += " (SIMULATED)"
		}
	}
	return out
}

// endOfID returns the last four digits of a campaign's id, or so many that no other campaign
// has the same.
func endOfID(c weir.Campaign, all []weir.Campaign) string {
	for at := len(c.ID) - 4; at > 0; at-- {
		if !slices.ContainsFunc(all, func(o weir.Campaign) bool { return o.ID != c.ID && strings.HasSuffix(o.ID, c.ID[at:]) }) {
			return c.ID[at:]
		}
	}
	return c.ID
}

// documentOfSeveral returns several campaigns as a document: a page has room for charts, and for
// how far the one can be trusted that can be least.
func documentOfSeveral(cs []weir.Campaign, rows string, room bool) (document.Document, error) {
	var all []tableNumber
	var who document.List
	var notes []weir.Note
	var worst document.Badge
	var views []view
	labels := labelsOf(cs)
	varied := variedIn(cs)
	for i, c := range cs {
		v := viewOf(figures.Printable(c))
		views = append(views, v)
		// What is the same in all of a campaign is a part of it, and no column, unless it says
		// in which column of another one it is.
		own := result.Common(result.FactorsIn(v.Complete.Results))
		maps.DeleteFunc(own, func(name string, _ any) bool { return varied[name] })
		for _, w := range v.All.Rows {
			for _, of := range w.Results {
				r := *of
				r.Factors = weir.Factors{campaignRow: labels[i]}
				for name, level := range of.Factors {
					if own[name] == nil || name == rows {
						r.Factors[name] = level
					}
				}
				numbers := numbersOf(&r, len(v.All.Of[of]) == 0) // doubtful runs do not count
				for i := range numbers {
					numbers[i].open = c.Manifest.Platform != opaque && r.Factors["firewall"] == nil
				}
				all = append(all, numbers...)
			}
		}
		notes = append(notes, notesOf(c, labels[i], own)...)
		e := document.Entry{Label: labels[i], Text: strings.Join([]string{c.ID, figures.Origin(c.Manifest, v.All)}, ": ")}
		if label, text := v.disturbance(v.disturbedBy(c)); text != "" {
			e.Under = document.Sentences(label + ": " + text)
		}
		who = append(who, e)
		if b := (reported{view: v, c: c, raw: c}).badge(); worse(b, worst) {
			worst = b
			worst.Text = labels[i] + ": " + worst.Text
		}
	}
	tables, err := tablesOf(all, rows)
	if err != nil {
		return nil, err
	}
	var d document.Document
	blocks := []document.Block{document.Title{Text: fmt.Sprintf("%d campaigns beside each other", len(cs))}}
	if worst.Level == document.GoodTrust {
		worst = document.Badge{Level: document.GoodTrust, Label: "quiet", Text: "nothing speaks against any of them"}
	}
	if room {
		blocks = append(blocks, worst)
	}
	if slices.ContainsFunc(cs, figures.Simulated) {
		blocks = append(blocks, document.Paragraph{Label: "SIMULATED", Text: "these are figures of a model, not of a machine"})
	}
	d.Add("", append(blocks, who)...)
	if room {
		d.Part("charts", "")
		d.Add("", chartsOfSeveral(tables))
	}
	for i, n := range tables {
		d.Part(fmt.Sprintf("table-%d", i+1), n.Table.Title)
		d.Add(n.Table.Title, n.Table)
	}
	for i, t := range changesOfSeveral(views, labels) {
		d.Part(fmt.Sprintf("changes-%d", i+1), t.Title)
		d.Add(t.Title, t)
	}
	d.Add("", document.Paragraph{Text: "! in doubt: its report has the warning. Measured at different times: whether two differ is what weir compare A B says"})
	d.Refer(figures.RemarksOf(notes))
	return d, nil
}

// opaque is the platform of a DUT of which weir does not know what it does with frames.
const opaque = "opaque"

// variedIn are the factors of which one of the campaigns has several levels.
func variedIn(cs []weir.Campaign) map[string]bool {
	out := map[string]bool{}
	for _, c := range cs {
		all := result.FactorsIn(c.Results)
		shared := result.Common(all)
		for _, f := range all {
			for name := range f {
				out[name] = out[name] || shared[name] == nil
			}
		}
	}
	return out
}

// notesOf are the notes of one of several campaigns, as ones about its results there,
// which do not have the levels that all of them share.
func notesOf(c weir.Campaign, label string, shared weir.Factors) []weir.Note {
	out := slices.Clone(c.Manifest.Notes)
	for i, n := range out {
		out[i].Of = map[string]string{campaignRow: label}
		for factor, of := range n.Of {
			if shared[factor] == nil || result.Level(shared[factor]) != of {
				out[i].Of[factor] = of
			}
		}
	}
	return out
}

// armChange is what an arm changes against the baseline, in one of several campaigns.
type armChange struct {
	campaign string
	of       study
	effect   effectRow
}

// changesOfSeveral returns those of campaigns that vary something, with their intervals: a table for
// each thing that was measured, and each baseline.
func changesOfSeveral(views []view, labels []string) []document.Table {
	var order []string
	of, confidence := map[string][]armChange{}, ""
	for i, v := range views {
		if !v.Experiment {
			continue
		}
		for _, l := range effectsOf(v.Study.values()) {
			about := measure(l.Comparison) + " against " + v.Study.short(l.Baseline)
			order, confidence = figures.With(order, about), v.Study.confidence()
			of[about] = append(of[about], armChange{labels[i], v.Study, l})
		}
	}
	columns := []document.Column[armChange]{
		{Heading: document.Heading{Head: campaignRow, Words: true}, Text: func(c armChange) string { return c.campaign }},
		{Heading: document.Heading{Head: "traffic", Words: true}, Text: func(c armChange) string { return c.of.traffic(c.effect.Comparison) }},
		{Heading: document.Heading{Head: "arm", Words: true}, Text: func(c armChange) string { return c.of.short(c.effect.Effect.Arm) }},
		{Heading: document.Heading{Head: "change"}, Text: func(c armChange) string { return changed(c.effect.Effect.Change) }},
		{Heading: document.Heading{Head: confidence + " interval"}, Text: func(c armChange) string { return boundsOf(c.effect.Effect) }},
		{Heading: document.Heading{Head: "verdict", Words: true}, Text: func(c armChange) string { return verdictWords[c.effect.Effect.Verdict] }},
	}
	var out []document.Table
	for _, about := range order {
		t := document.TableOf(columns, of[about])
		t.Title, t.Broken = about, true
		out = append(out, t)
	}
	return out
}
