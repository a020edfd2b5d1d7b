// Package report renders a campaign: a page to look at, text for a terminal,
// and formats for other programs. What single results say comes from package
// figures; what runs say beside each other is put into words here.
//
// A report is made of a weir.Campaign and nothing else, so that it can be made
// again years later. The package measures nothing, reads no store, opens no
// file and no network connection, and judges no difference: package proof does.
package report

import (
	"io"

	"weir"
	"weir/internal/method"
)

// Options are how much of a campaign is shown. The zero value is what suits a
// terminal of 100 columns.
type Options struct {
	Width   int  // columns of the terminal; 0: 100
	Verbose bool // text: all that is known, in place of what matters first
	Trials  bool // text, Markdown: a table of the trials, too; CSV: the trials in place of the results; JSON: the trials with their telemetry, too
}

// Write is Options.Write without any.
func Write(w io.Writer, format string, c weir.Campaign) error {
	return Options{}.Write(w, format, c)
}

// Write writes a campaign, finished or not, in one of the Formats. Of results
// that go round it shows those of the last round, which hold all before.
func (o Options) Write(w io.Writer, format string, c weir.Campaign) error {
	f, err := find(format, "a campaign is", Formats())
	if err != nil {
		return err
	}
	return f.campaign(w, lastRound(c), o)
}

// lastRound returns a campaign with the results of its last round alone.
func lastRound(c weir.Campaign) weir.Campaign {
	c.Results = method.Raise(weir.Latest(c.Results))
	return c
}
