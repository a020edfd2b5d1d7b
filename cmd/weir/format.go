package main

import (
	"strings"

	"github.com/spf13/cobra"

	"weir/internal/report"
)

// asText is the format of what verbs print without --format.
const asText = "text"

// printsJSON gives a verb that prints no report the flag --format, with text and JSON. What it
// prints comes with its verb: "a list is".
func (a *app) printsJSON(cmd *cobra.Command, what string) {
	a.printsAs(cmd, what, []string{asText, "json"})
}

// printsAs gives a verb, and those below it, the flag --format. Any other format is refused
// before the verb does anything.
func (a *app) printsAs(cmd *cobra.Command, what string, among []string) {
	cmd.PersistentFlags().StringVar(&a.format, "format", asText, "format of the output: "+strings.Join(among, ", "))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(among, cobra.ShellCompDirectiveNoFileComp))
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error {
		if err := report.CheckFormat(a.format, what, among); err != nil {
			return usageError{err}
		}
		return nil
	}
}
