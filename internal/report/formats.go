package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// A format is a way to write what was measured.
type format struct {
	name, summary string
	ending        string // of its files, where that is not its name: "md"

	campaign   func(io.Writer, weir.Campaign, Options) error
	comparison func(io.Writer, []study, Compared) error                // nil: it writes none
	several    func(io.Writer, []weir.Campaign, string, Options) error // with the factor of the rows; nil: it writes one alone
	versus     func(Versus, io.Writer, Options) error                  // nil: it writes the campaign
}

// formats is the table of formats. To add one, write it in a file of its own and enter it here.
var formats = []format{
	{"text", "a table for the terminal", "txt", writeText, compareAs(inText), severalAs(inText, false), Versus.text},
	{"html", "one self-contained page", "htm", writeHTML, nil, severalAs(document.Document.WriteHTML, true), nil},
	{"markdown", "a page for a wiki or an issue", "md", writeMarkdown, compareAs(inMarkdown), severalAs(inMarkdown, false), Versus.markdown},
	{"csv", "one line for each result", "", writeCSV, compareCSV, severalCSV, nil},
	{"json", "one object, see docs/result.schema.json", "", writeJSON, compareJSON, severalJSON, nil},
	{"benchfmt", "Go benchmark format, for benchstat", "", writeBenchfmt, nil, severalBenchfmt, nil},
	{"bencher", "Bencher Metric Format, for a CI that keeps a history", "", writeBencher, nil, nil, Versus.bencher},
	{"openmetrics", "gauges, for Prometheus and what reads its text", "", writeOpenMetrics, nil, nil, nil},
	{"junit", "a test case for each result and verdict, for a CI", "", writeJUnit, nil, nil, Versus.junit},
}

// Formats returns the names of all formats: each writes a campaign.
func Formats() []string { return namesOf(func(format) bool { return true }) }

// ComparisonFormats returns the names of those that WriteProof knows.
func ComparisonFormats() []string { return namesOf(func(f format) bool { return f.comparison != nil }) }

// severalFormats returns the names of those that WriteSeveral knows.
func severalFormats() []string { return namesOf(func(f format) bool { return f.several != nil }) }

func namesOf(able func(format) bool) (names []string) {
	for _, f := range formats {
		if able(f) {
			names = append(names, f.name)
		}
	}
	return names
}

// Summary returns what a format is, in a line.
func Summary(name string) string {
	return formats[slices.Index(Formats(), name)].summary
}

// FormatOfFile returns the format of files with an ending, "" where there is none.
func FormatOfFile(ending string) string {
	for _, f := range formats {
		if ending != "" && (ending == f.name || ending == f.ending) {
			return f.name
		}
	}
	return ""
}

// CheckFormat returns an error that lists the formats in which something is printed, where a
// name is none of them. What it is comes with its verb: "a list is".
func CheckFormat(name, what string, among []string) error {
	switch {
	case slices.Contains(among, name):
		return nil
	case !slices.Contains(Formats(), name):
		return fmt.Errorf("unknown format %q: one of %s", name, strings.Join(among, ", "))
	case len(among) == 2:
		return fmt.Errorf("%s printed as %s, not as %s", what, strings.Join(among, " or "), name)
	}
	return fmt.Errorf("%s printed as %s, not as %s", what, strings.Join(among, ", "), name)
}

// find returns the format of a name that has to be among some.
func find(name, what string, among []string) (format, error) {
	if err := CheckFormat(name, what, among); err != nil {
		return format{}, err
	}
	return formats[slices.Index(Formats(), name)], nil
}

// A renderer writes a document in a format.
type renderer func(document.Document, *bytes.Buffer) error

func inText(d document.Document, b *bytes.Buffer) error {
	d.WriteText(b, document.TextWidth, document.TableWidth)
	return nil
}

// inColumns writes text for a terminal of some width.
func inColumns(width int) renderer {
	return func(d document.Document, b *bytes.Buffer) error {
		d.WriteText(b, width, width)
		return nil
	}
}

func inMarkdown(d document.Document, b *bytes.Buffer) error {
	d.WriteMarkdown(b)
	return nil
}

// write writes a document.
func (r renderer) write(w io.Writer, d document.Document) error {
	var b bytes.Buffer
	if err := r(d, &b); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

func writeText(w io.Writer, c weir.Campaign, o Options) error {
	if o.Verbose {
		return renderer(inText).write(w, reportedOf(c, full, o).document())
	}
	r := reportedOf(c, brief, o)
	if plain, any := r.plain(); any && len(plain.Grid.Knees) > 0 {
		r.detail = glance
		return inColumns(o.width()).write(w, r.document())
	}
	return renderer(inText).write(w, r.document())
}

func writeMarkdown(w io.Writer, c weir.Campaign, o Options) error {
	how := usual
	if o.Verbose {
		how = full
	}
	return renderer(inMarkdown).write(w, reportedOf(c, how, o).document())
}

// writeHTML writes one file that needs nothing else: no font, no network, and no
// script but for the reader who would zoom into a chart.
func writeHTML(w io.Writer, c weir.Campaign, o Options) error {
	return renderer(document.Document.WriteHTML).write(w, reportedOf(c, page, o).document())
}

// writeIndented writes a value as JSON.
func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeCSV writes a row for each result, in base units, after a row of names.
// Each factor is a column; runs have columns for their place in the order,
// transfers for what they were, sweeps for what they found; the testbed's name, notes
// of the author and the readings of the DUT's machine have one where there are any.
func writeCSV(w io.Writer, c weir.Campaign, o Options) error {
	if o.Trials {
		return figures.TrialsCSV(w, c)
	}
	return figures.CSVOf(w, c)
}
