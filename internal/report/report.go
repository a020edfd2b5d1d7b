// Package report renders a campaign: a page to look at, text for a terminal,
// and formats for other programs. This is where base units become kpps,
// Mbit/s and microseconds (k = 1000).
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
)

// A format is a way to write a campaign.
type format struct {
	name  string
	write func(io.Writer, weir.Campaign, Options) error
}

// Options are how much of a campaign is shown. The zero value is what suits a
// terminal of 100 columns.
type Options struct {
	Width   int  // columns of the terminal; 0: 100
	Verbose bool // text: all that is known, in place of what matters first
	Trials  bool // JSON: the trials with their telemetry, too
}

// To add a format, write it in a file of its own and enter it here.
var formats = []format{
	{"text", writeText},
	{"html", writeHTML},
	{"markdown", writeMarkdown},
	{"csv", writeCSV},
	{"json", writeJSON},
	{"benchfmt", writeBenchfmt},
}

// Formats are the names that Write knows: "text" for a terminal, "html" for
// one self-contained file, "markdown", "csv" with a row for each result,
// "json" (described by docs/result.schema.json), and "benchfmt" for benchstat.
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
	c.Results = weir.Latest(c.Results)
	for _, f := range formats {
		if f.name == format {
			return f.write(w, c, o)
		}
	}
	return fmt.Errorf("unknown report format %q; there are %s", format, strings.Join(Formats(), ", "))
}
