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
	write func(io.Writer, weir.Campaign) error
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

// Write writes a campaign, finished or not, in one of the Formats.
func Write(w io.Writer, format string, c weir.Campaign) error {
	for _, f := range formats {
		if f.name == format {
			return f.write(w, c)
		}
	}
	return fmt.Errorf("unknown report format %q; there are %s", format, strings.Join(Formats(), ", "))
}
