package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// completion is what a shell proposes for an argument or a flag.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completionLimit is how long a shell waits for the store.
const completionLimit = 2 * time.Second

// completeCampaigns proposes the campaigns of the store, the newest first, for as many
// arguments as a verb takes; other is what those arguments may be beside that.
func (a *app) completeCampaigns(most int, other cobra.ShellCompDirective) completion {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), completionLimit)
		defer cancel()
		store, err := a.readStore(ctx)
		if err != nil {
			return nil, other
		}
		defer store.Close()
		rows, err := store.Campaigns(ctx)
		if err != nil {
			return nil, other
		}
		out := []string{"latest"}
		for _, r := range rows {
			out = append(out, cobra.CompletionWithDesc(r.ID, r.Name))
		}
		return out, other | cobra.ShellCompDirectiveKeepOrder
	}
}
