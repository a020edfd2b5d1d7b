package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// purposes is the table of what commands are for, in the order in which weir help lists them:
// first those that one needs first.
var purposes = []struct {
	title string
	verbs []string
}{
	{"The four that one needs first", []string{"bench", "versus", "run", "report"}},
	{"Measure something else", []string{"tcp", "send", "recv"}},
	{"Judge results", []string{"compare", "claim", "history", "serve"}},
	{"Keep results", []string{"import", "forget"}},
	{"Look up", []string{"list", "plan", "help", "version"}},
	{"Prepare this machine", []string{"doctor", "audit", "lab", "completion"}},
}

// firstExamples are what one types first.
const firstExamples = `  weir bench                       how fast is this machine's kernel? in a lab that weir makes
  weir bench --ports eth1,eth2     how fast is the box that is connected to these two ports?
  weir versus "" firewall.nft      what does this rule set cost, and is that proven?
`

// listVerbs prints what weir can be asked, by purpose, in place of an alphabet.
func listVerbs(root *cobra.Command) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	all := root.Commands()
	for i, p := range purposes {
		fmt.Fprintf(w, "%s:\n", p.title)
		for _, name := range p.verbs {
			if at := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == name && (c.IsAvailableCommand() || name == "help") }); at >= 0 {
				fmt.Fprintf(w, "  %s\t%s\n", name, all[at].Short)
			}
		}
		fmt.Fprintln(w)
		if i == 0 {
			w.Flush()
			out.WriteString("Examples:\n" + firstExamples + "\n")
		}
	}
	w.Flush()
	return out.String()
}

// describeUsage has the root print its commands by purpose, and each command what it is usually.
func describeUsage(root *cobra.Command) {
	usual := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		if cmd != root {
			return usual(cmd)
		}
		_, err := fmt.Fprintf(cmd.OutOrStderr(), "Usage: weir COMMAND [flags]\n\n%sFlags of all commands:\n%s\nweir help COMMAND says more of one.\n",
			listVerbs(root), root.LocalFlags().FlagUsages())
		return err
	})
}
