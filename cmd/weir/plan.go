package main

import (
	"github.com/spf13/cobra"

	"weir/internal/plan"
)

// planVerb is what can be asked about plans.
func planVerb(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "plan", Short: "What plans may say, for editors",
		Args: knownVerb, SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of plans",
		Long: `Print the JSON Schema of plans, with which editors complete and check them:

  weir plan schema >~/.config/weir-plan.json

and in the first line of a plan, for editors with a language server for YAML:

  # yaml-language-server: $schema=/home/me/.config/weir-plan.json

weir run --check knows more: what fields mean together, and what this machine has.`,
		Args: takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			text, err := plan.Schema()
			if err != nil {
				return err
			}
			_, err = a.out.Write(text)
			return err
		},
	})
	return cmd
}
