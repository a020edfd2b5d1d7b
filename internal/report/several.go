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
	"weir/internal/proof"
)

// campaignRow is the factor that campaigns are, among several of them.
const campaignRow = "campaign"

// SeveralFormats are those of WriteSeveral.
func SeveralFormats() []string {
	return []string{"text", "markdown", "html", "csv", "json", "benchfmt"}
}

// WriteSeveral writes campaigns in one table for each thing that was measured, in one
// of the SeveralFormats: a row for each campaign, or for each level of the factor
// that rows names, and a column for each combination of all other levels. Of runs it
// has the medians. As CSV and benchfmt it is what they are one after the other, as
// JSON an array. It proves nothing: proof.Between does. It is an error when a factor
// is named that no result has.
func (o Options) WriteSeveral(w io.Writer, format string, cs []weir.Campaign, rows string) error {
	switch format {
	case "csv":
		for i := range cs {
			cs[i].Results = weir.Latest(cs[i].Results)
		}
		return csvOf(w, cs...)
	case "json":
		var all []json.RawMessage
		for _, c := range cs {
			var b bytes.Buffer
			if err := o.Write(&b, format, c); err != nil {
				return err
			}
			all = append(all, b.Bytes())
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all)
	case "benchfmt":
		for _, c := range cs {
			if err := o.Write(w, format, c); err != nil {
				return err
			}
		}
		return nil
	}
	d, err := besideEachOther(cs, cmp.Or(rows, campaignRow))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	switch format {
	case "text":
		d.text(&b, textWidth, tableWidth)
	case "markdown":
		d.markdown(&b)
	case "html":
		err = d.html(&b)
	default:
		return fmt.Errorf("several campaigns are printed as %s, not as %s", strings.Join(SeveralFormats(), ", "), format)
	}
	if err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// labelsOf name campaigns: by their names, with the ends of their ids where several
// have the same.
func labelsOf(cs []weir.Campaign) []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = cmp.Or(c.Name, c.ID)
		if slices.ContainsFunc(cs, func(o weir.Campaign) bool { return o.Name == c.Name && o.ID != c.ID }) {
			out[i] += " " + c.ID[max(0, len(c.ID)-4):]
		}
		if simulated(c) {
			out[i] += " (SIMULATED)"
		}
	}
	return out
}

// A tableNumber is one number of a result.
type tableNumber struct {
	what string // with its unit
	text string
	of   *weir.Result
	row  string
	weir.Factors
}

// besideEachOther is several campaigns as a document.
func besideEachOther(cs []weir.Campaign, rows string) (document, error) {
	var all []weir.Result
	var ofRuns []bool // whether a result stands for runs, of which those in doubt do not count
	var who listBlock
	var notes []weir.Note
	labels := labelsOf(cs)
	for i, c := range cs {
		c.Results = weir.Latest(c.Results)
		v := viewOf(Printable(c))
		// What is the same in all of a campaign is a part of it, and no column.
		own := common(v.Whole.Results)
		once := 0 // of them that are no runs
		if plain, any := v.plain(); any {
			once = len(plain.Campaign.Results)
		}
		for n, r := range v.Whole.Results {
			r.Factors = maps.Clone(r.Factors)
			if r.Factors == nil {
				r.Factors = weir.Factors{}
			}
			maps.DeleteFunc(r.Factors, func(name string, _ any) bool { return own[name] != nil && name != rows })
			r.Factors[campaignRow] = labels[i]
			all, ofRuns = append(all, r), append(ofRuns, n >= once)
		}
		notes = append(notes, notesOf(c, labels[i], own)...)
		e := entry{Label: labels[i], Text: strings.Join([]string{c.ID, origin(c.Manifest, v.All)}, ": ")}
		if label, text := v.disturbance(v.disturbedBy(c)); text != "" {
			e.Under = sentences(label + ": " + text)
		}
		who = append(who, e)
	}
	if rows != campaignRow && !slices.ContainsFunc(all, func(r weir.Result) bool { return r.Factors[rows] != nil }) {
		return nil, fmt.Errorf("no result of these campaigns has a factor %q: %s", rows, strings.Join(factorsOf(all), ", "))
	}
	var d document
	var blocks []block
	if slices.ContainsFunc(cs, simulated) {
		blocks = append(blocks, textBlock{Label: "SIMULATED", Text: "these are figures of a model, not of a machine"})
	}
	d.add("", append([]block{titleBlock{Text: fmt.Sprintf("%d campaigns beside each other", len(cs))}}, append(blocks, who)...)...)
	for i, m := range tabulated(all, ofRuns, rows) {
		d.part(fmt.Sprintf("table-%d", i+1), m.Title)
		d.add(m.Title, m)
	}
	d.add("", textBlock{Text: "! in doubt: its report has the warning. Measured at different times: whether two differ is what weir compare A B says"})
	d.sign(remarkedOf(notes))
	return d, nil
}

// notesOf are the notes of one of several campaigns, as ones about its results there,
// which do not have the levels that all of them share.
func notesOf(c weir.Campaign, label string, shared weir.Factors) []weir.Note {
	out := slices.Clone(c.Manifest.Notes)
	for i, n := range out {
		out[i].Of = map[string]string{campaignRow: label}
		for factor, of := range n.Of {
			if shared[factor] == nil || level(shared[factor]) != of {
				out[i].Of[factor] = of
			}
		}
	}
	return out
}

// tabulated are the matrices of results: one for each number that they have.
func tabulated(results []weir.Result, ofRuns []bool, rows string) []table {
	shared := common(results)
	delete(shared, rows)
	var order []string
	of := map[string][]tableNumber{}
	for i := range results {
		r := &results[i]
		beside := maps.Clone(r.Factors)
		delete(beside, rows)
		if r.Factors[rows] == nil {
			continue // it is at no level of that factor
		}
		for _, m := range numbersOf(r, !ofRuns[i]) {
			m.row, m.Factors = level(r.Factors[rows]), maps.Clone(beside)
			order = with(order, m.what)
			of[m.what] = append(of[m.what], m)
		}
	}
	var out []table
	for _, what := range order {
		out = append(out, matrixOfNumbers(what, of[what], shared, rows))
	}
	return out
}

// numbersOf are the numbers of a result that a table has, with a sign where it has
// warnings and that is to be told.
func numbersOf(r *weir.Result, told bool) []tableNumber {
	var out []tableNumber
	add := func(what, unit, figure string, v float64) {
		c := proof.Comparison{Unit: unit, Figure: figure}
		text := missing
		if v > 0 && r.Unmeasured == "" {
			text = scaledValue(v, c)
			if len(r.Warnings) > 0 && told {
				text += " " + inDoubt
			}
		}
		out = append(out, tableNumber{what: what + scale(c), text: text, of: r})
	}
	add(sought(*r), r.Unit, "", r.Value)
	if swept(r) {
		add("saturated rate", "frames/s", "", r.Saturated.Value)
	}
	if l := r.Latency; l != nil && inWindows(r) {
		add("latency p50 of "+sought(*r), "s", "", l.P50)
	}
	if r.CPUPerFrame > 0 && (kind(*r) == "rate" || inWindows(r)) {
		add("CPU time per frame of "+sought(*r), "s", proof.CPUPerFrame, r.CPUPerFrame)
	}
	return out
}

// matrixOfNumbers has the levels of one factor as rows and all others as columns.
func matrixOfNumbers(what string, list []tableNumber, shared weir.Factors, rows string) table {
	t := table{Title: what, Columns: []heading{{Unit: strings.ReplaceAll(rows, "_", " "), Words: true}}, Broken: true, Grouped: true}
	var labels, columns []string
	cells := map[[2]string]cell{}
	for _, n := range list {
		who, _ := n.Factors[campaignRow].(string) // "" where campaigns are the rows
		delete(n.Factors, campaignRow)
		column := cmp.Or(strings.TrimSpace(labelled(n.Factors, shared)+" "+who), "all")
		labels, columns = with(labels, n.row), with(columns, column)
		cells[[2]string{n.row, column}] = cell{Text: n.text, Of: n.of}
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, heading{Unit: c})
	}
	for _, row := range labels {
		line := words(row)
		for _, c := range columns {
			line = append(line, cmp.Or(cells[[2]string{row, c}], cell{Text: missing}))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}
