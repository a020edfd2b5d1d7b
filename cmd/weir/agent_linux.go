package main

import (
	"maps"

	"github.com/spf13/cobra"

	"weir/internal/agent"
	"weir/internal/endhost"
)

// agentVerb is what a lab runs in its namespaces; people have no use for it.
func agentVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    agent.Verb + " ROLE",
		Short:  "Play a role of a lab, on standard input and output",
		Hidden: true,
		Args:   takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			roles := maps.Clone(agent.Roles)
			maps.Copy(roles, endhost.Roles)
			return agent.Run(cmd.Context(), roles, args[0], a.in, a.out)
		},
	}
}
