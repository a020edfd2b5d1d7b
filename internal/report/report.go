// Package report renders a campaign: a page to look at, text for a terminal,
// and formats for other programs. What single results say comes from package
// figures; what runs say beside each other is put into words here.
//
// A report is made of a weir.Campaign and nothing else, so that it can be made
// again years later. The package measures nothing, reads no store, opens no
// file and no network connection, and judges no difference: package proof does.
package report

import (
	"fmt"
	"io"
	"strings"

	"weir"
	"weir/internal/method"
)

// A format is a way to write a campaign.
type format struct {
	name    string
	summary string
	write   func(io.Writer, weir.Campaign, Options) error
}

// Options are how much of a campaign is shown. The zero value is what suits a
// terminal of 100 columns.
type Options struct {
	Width   int  // columns of the terminal; 0: 100
	Verbose bool // text: all that is known, in place of what matters first
	Trials  bool // text, Markdown: a table of the trials, too; CSV: the trials in place of the results; JSON: the trials with their telemetry, too
}

// To add a format, write it in a file of its own and enter it here.
var formats = []format{
	{"text", "a table for the terminal", writeText},
	{"html", "one self-contained page", writeHTML},
	{"markdown", "a page for a wiki or an issue", writeMarkdown},
	{"csv", "one line for each result", writeCSV},
	{"json", "one object, see docs/result.schema.json", writeJSON},
	{"benchfmt", "Go benchmark format, for benchstat", writeBenchfmt},
	{"bencher", "Bencher Metric Format, for a CI that keeps a history", writeBencher},
	{"openmetrics", "gauges, for Prometheus and what reads its text", writeOpenMetrics},
	{"junit", "a test case for each result and verdict, for a CI", writeJUnit},
}

// Summary is what a format is, in a line.
func Summary(name string) string {
	for _, f := range formats {
		if f.name == name {
			return f.summary
		}
	}
	return ""
}

// Formats are the names that Write knows.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// Write is Options.Write without any.
func Write(w io.Writer, format string, c weir.Campaign) error {
	return Options{}.Write(w, format, c)
}

// Write writes a campaign, finished or not, in one of the Formats. Of results
// that go round it shows those of the last round, which hold all before.
func (o Options) Write(w io.Writer, format string, c weir.Campaign) error {
	c.Results = method.Raise(weir.Latest(c.Results))
	for _, f := range formats {
		if f.name == format {
			return f.write(w, c, o)
		}
	}
	return fmt.Errorf("unknown report format %q; there are %s", format, strings.Join(Formats(), ", "))
}
