package main

import (
	"github.com/spf13/cobra"

	"weir/internal/endhost"
)

// endVerb is what a lab runs at its end hosts; people have no use for it.
func endVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "end PART SETTINGS",
		Short:  "Play a part at an end host of a transfer",
		Hidden: true,
		Args:   takes(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return endhost.Run(cmd.Context(), args[0], []byte(args[1]), a.in, a.out)
		},
	}
}
