package report

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// readingSection is what the DUT's machine said, of runs and of what was measured
// once.
func readingSection(d *document.Document, r reported) {
	var list []document.Table
	if plain, any := r.plain(); any {
		list = append(list, plain.readings(r.c))
	}
	for _, s := range r.answers() {
		list = append(list, s.readings(r.c))
	}
	d.Fold("readings", "what the DUT's machine said")
	for _, t := range list {
		t.Note = "Means over the trials that decided it, what differs most first."
		d.Add(t.Title, t)
	}
}

// profileSection is where CPUs spent their time.
func profileSection(d *document.Document, r reported) {
	var all []document.Block
	if r.Experiment {
		all = r.Study.flames(r.c)
	}
	if plain, any := r.plain(); any {
		all = append(all, flamesOf(plain.Campaign)...)
	}
	d.Part("profile", "profile")
	d.Add("", all...)
}

// manifestSection is all that is known of the machine, and the plan.
func manifestSection(d *document.Document, r reported) {
	m := r.c.Manifest
	list := append(figures.Everything(m), weir.Setting{Where: "campaign", Name: "seed", Value: strconv.FormatUint(m.Seed, 10)})
	if m.Experiment != nil {
		list = append(list, experimentSettings(*m.Experiment)...)
	}
	for _, name := range slices.SortedFunc(maps.Keys(m.Ceiling), func(a, b string) int { return cmp.Compare(m.Ceiling[b], m.Ceiling[a]) }) {
		list = append(list, weir.Setting{Where: "tester alone", Name: name, Value: figures.Kpps(m.Ceiling[name]) + " kpps"})
	}
	d.Fold("manifest", "manifest")
	d.Add("", document.TableOf(settingColumns, list))
	if m.Plan != "" {
		d.Add("plan", document.Verbatim(m.Plan))
	}
}

var settingColumns = []document.Column[weir.Setting]{
	{Heading: document.Heading{Head: "where"}, Text: func(s weir.Setting) string { return s.Where }},
	{Heading: document.Heading{Head: "what", Words: true}, Text: func(s weir.Setting) string { return s.Name }},
	{Heading: document.Heading{Head: "value", Words: true}, Text: func(s weir.Setting) string { return s.Value }},
}

// maxEmbedded is the most octets of a file that comes with a page, and the least are
// those of a result in it.
const (
	maxEmbedded = 512 << 10
	leastCSV    = 100
	leastJSON   = 500
)

// dataSection are the results for programs.
func dataSection(d *document.Document, r reported) {
	d.Part("data", "CSV and JSON")
	var files []document.Block
	for _, f := range []struct {
		format, kind string
		least        int
		write        func(io.Writer, weir.Campaign, Options) error
	}{{"csv", "text/csv", leastCSV, writeCSV}, {"json", "application/json", leastJSON, writeJSON}} {
		var b bytes.Buffer
		if len(r.raw.Results)*f.least > maxEmbedded || f.write(&b, r.raw, Options{}) != nil || b.Len() > maxEmbedded {
			files = append(files, document.Paragraph{Label: f.format, Text: "weir report --format " + f.format + " " + r.c.ID})
			continue
		}
		files = append(files, document.File{Name: cmp.Or(r.c.ID, "campaign") + "." + f.format, Type: f.kind, Size: figures.Significant(float64(b.Len())/1e3) + " kB", Data: b.Bytes()})
	}
	d.Add("", files...)
}
