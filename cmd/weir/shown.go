package main

import (
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"weir/internal/report"
)

// shownFlags adds the flags of verbs that show a campaign.
func (a *app) shownFlags(cmd *cobra.Command) {
	a.printsAs(cmd, "", report.Formats())
	cmd.Flags().BoolVarP(&a.shown.Verbose, "verbose", "v", false, "text: print all that is known, and not only what matters first")
	cmd.Flags().BoolVar(&a.shown.Trials, "trials", false, "text, markdown: a table of the trials, too; csv: the trials in place of the results; json: the trials with their windows and telemetry, too")
}

// pageFlag adds the flag that says where the page of what is measured goes.
func (a *app) pageFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.page, "html", "", "write the page with the results into this `FILE` (default reports/ID.html beside the store)")
}

// options are how a campaign is shown on standard output.
func (a *app) options() report.Options {
	o := a.shown
	o.Width = width(a.out)
	return o
}

// width is that of a terminal in columns, which $COLUMNS may say too; 0: not
// known.
func width(out any) int {
	if f, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	n, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	return n
}
