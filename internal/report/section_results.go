package report

import (
	"fmt"

	"weir/internal/document"
)

// resultSections are what was measured once: of a campaign of runs, before them.
func resultSections(d *document.Document, r reported) {
	if plain, any := r.plain(); any {
		d.Part("results", "results")
		results(d, plain, r.detail)
		if !r.brief && !r.room {
			t := plain.readings(r.c)
			d.Add("what the DUT's machine said, "+t.Title, t)
		}
	}
}

// results are the numbers of a view: its tables, and what has no column in them.
func results(d *document.Document, v view, how detail) {
	g := v.Grid
	t, further := v.tables(how.curves)
	title := ""
	if v.Experiment {
		title = "medians of the runs"
	}
	if len(g.Rows) == 0 && !v.Experiment {
		d.Add("", document.Paragraph{Text: "no results"})
	}
	trust := document.Paragraph{Label: "trust"}
	if len(g.Knees) > 0 && !v.Experiment && !how.room {
		trust.Text = trustOf(v.Campaign, g).String()
	}
	d.Add(title, sweptTable(g), document.Sentences(sweptNotes(g)...), trust)
	if len(g.Knees) > 0 {
		title = ""
	}
	d.Add(title, t)
	transfers(d, v)
	d.Add("further results", furtherList(further, how))
	if mbits, from := imixEstimate(g); mbits != "" {
		d.Add("", document.Paragraph{Label: "IMIX estimate from " + from, Text: mbits + " Mbit/s"})
	}
}

// briefFurther is how many further results a terminal shows.
const briefFurther = 8

// furtherList are findings with their figures and tables; in brief the first of them
// alone.
func furtherList(list []finding, how detail) (out document.List) {
	for i, f := range list {
		e := document.Entry{Text: f.heading(), Of: f.Result}
		if how.brief {
			if i == briefFurther-1 && len(list) > briefFurther {
				return append(out, document.Entry{Text: fmt.Sprintf("and %d more", len(list)-i)})
			}
			out = append(out, e)
			continue
		}
		said := ""
		for _, v := range f.Figures {
			said += "; " + v.Name + " " + v.Value
		}
		if said != "" {
			e.Under = document.Sentences(said[2:])
		}
		of := f.Label + " " + f.Heading
		if len(f.Points.Rows) > 0 {
			e.Tables = append(e.Tables, document.Captioned{Of: of, Name: "points", Table: f.Points})
		}
		if len(f.Spans.Rows) > 0 {
			e.Tables = append(e.Tables, document.Captioned{Of: of, Name: f.Longest, Table: f.Spans})
		}
		out = append(out, e)
	}
	return out
}

// transfers are the table of source and target, and that of seconds.
func transfers(d *document.Document, v view) {
	set := transfersOf(v.Grid)
	if len(set.Rows) == 0 {
		return
	}
	if set.apart(v.Experiment, len(v.Study.Experiment.Arms)) {
		m := set.matrix()
		if v.Experiment {
			m.Title += ", medians of the runs"
		}
		d.Add(m.Title, m)
	}
	t, note := secondsTable(set.courses())
	d.Add("peaks and flutter", t, document.Paragraph{Text: note})
}
