package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// maxTrials is the most trials that a page lists.
const maxTrials = 500

// trialSections adds all trials, of test frames and of transfers, to a page, and else where
// they are asked for.
func trialSections(d *document.Document, r reported) {
	if r.detail < page && !r.Trials {
		return
	}
	var frames, moved []weir.TrialResult
	for _, t := range r.c.Trials {
		switch {
		case t.Trial.Transfer == nil && len(frames) < maxTrials:
			frames = append(frames, t)
		case t.Trial.Transfer != nil && len(moved) < maxTrials:
			moved = append(moved, t)
		}
	}
	d.Fold("trials", "trials")
	note := document.Paragraph{}
	if listed := len(frames) + len(moved); listed < len(r.c.Trials) {
		note.Text = fmt.Sprintf("These are the first %d; %d more are in the store", listed, len(r.c.Trials)-listed)
	}
	d.Add("trials", note, document.TableOf(figures.TrialColumnsOf(frames), frames), document.TableOf(figures.TransferColumns, moved))
}

// A ledgerOf is the ledger of one result.
type ledgerOf struct {
	label string
	weir.Ledger
}

// ledgerSection is where the frames of each result went.
func ledgerSection(d *document.Document, r reported) {
	var all []ledgerOf
	for _, w := range r.All.Rows {
		for _, one := range w.Results {
			if one.Ledger.Offered > 0 {
				all = append(all, ledgerOf{w.Label + ", " + figures.Sought(*one), one.Ledger})
			}
		}
	}
	of := "one trial"
	switch {
	case r.Plain != nil:
		of += ", or of all runs,"
	case r.Experiment:
		of = "all runs"
	}
	t := document.TableOf(ledgerColumns, all)
	t.Note = "Frames of " + of + " at the load of the result: offered = received + drops at named counters + unexplained."
	d.Part("ledger", "ledger")
	d.Add("", t)
}

var ledgerColumns = []document.Column[ledgerOf]{
	{Heading: document.Heading{Head: "result"}, Text: func(l ledgerOf) string { return l.label }},
	{Heading: document.Heading{Head: "offered"}, Text: func(l ledgerOf) string { return figures.Count(l.Offered) }},
	{Heading: document.Heading{Head: "received"}, Text: func(l ledgerOf) string { return figures.Count(l.Received) }},
	{Heading: document.Heading{Head: "unexplained"}, Text: func(l ledgerOf) string { return figures.Number(float64(l.Unexplained), 0) },
		Look: func(l ledgerOf, c *document.Cell) {
			if l.Unexplained != 0 {
				c.Mark = figures.InDoubt
			}
		}},
	{Heading: document.Heading{Head: "dropped", Words: true}, Text: func(l ledgerOf) string {
		var parts []string
		for _, d := range l.Drops {
			parts = append(parts, figures.Count(d.Count)+" "+d.Place)
		}
		return strings.Join(parts, "; ")
	}, Look: func(l ledgerOf, c *document.Cell) { c.Picture = l.picture() }},
}

// picture is the shares of the offered frames: received, dropped, unexplained.
func (l ledgerOf) picture() template.HTML {
	share := func(frames float64) float64 { return min(max(frames/float64(l.Offered)*100, 0), 100) }
	var drops uint64
	for _, d := range l.Drops {
		drops += d.Count
	}
	received, dropped, rest := share(float64(l.Received)), share(float64(drops)), share(float64(l.Unexplained))
	if rest > 0 {
		rest = max(rest, .4) // to be seen at all
	}
	return template.HTML(fmt.Sprintf(`<svg class="stack" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="%s %% received, %s %% dropped"><rect class="received" width="%.2f" height="6"/>`+
		`<rect class="dropped" x="%.2f" width="%.2f" height="6"/><rect class="unexplained" x="%.2f" width="%.2f" height="6"/></svg>`,
		figures.Number(received, 1), figures.Number(dropped, 1), received, received, dropped, min(received+dropped, 100-rest), rest))
}

// readingSection has the readings of the DUT's machine, of runs and of what was measured
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
	for _, name := range slices.SortedFunc(maps.Keys(m.Ceiling), func(a, b string) int { return cmp.Or(cmp.Compare(m.Ceiling[b], m.Ceiling[a]), cmp.Compare(a, b)) }) {
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
		if r.Files != "" {
			files = append(files, document.File{Name: cmp.Or(r.c.ID, "campaign") + "." + f.format, Address: r.Files + f.format})
			continue
		}
		var b bytes.Buffer
		if len(r.raw.Results)*f.least > maxEmbedded || f.write(&b, r.raw, Options{}) != nil || b.Len() > maxEmbedded {
			files = append(files, document.Paragraph{Label: f.format, Text: "weir report --format " + f.format + " " + r.c.ID})
			continue
		}
		files = append(files, document.File{Name: cmp.Or(r.c.ID, "campaign") + "." + f.format, Type: f.kind, Size: figures.Significant(float64(b.Len())/1e3) + " kB", Data: b.Bytes()})
	}
	d.Add("", files...)
}
