package main

import (
	"github.com/spf13/cobra"

	"weir/internal/agent"
	"weir/internal/lab"
)

// agentVerb is what a lab runs in its namespaces; people have no use for it.
func agentVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    agent.Verb + " ROLE",
		Short:  "Play a role of a lab, on standard input and output",
		Hidden: true,
		Args:   takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return lab.PlayRole(cmd.Context(), args[0], a.in, a.out)
		},
	}
}
