package main

import (
	"time"

	"github.com/spf13/cobra"

	"weir/internal/plan"
)

func tcpVerb(a *app) *cobra.Command {
	var own ownPlan
	cmd := &cobra.Command{
		Use:   "tcp",
		Short: "Measure TCP through this machine's kernel, or a box, in both directions",
		Long: `Measure what TCP gets through the router, in three runs of each direction: goodput,
segments that were sent again, and the CPU time of the router. The end hosts are two
network namespaces of this machine, at both sides of a router that is another one.

With --ports they are at two ports of this machine, and what is between these is
measured: see docs/ports.md. More streams, other durations, iperf3 and netperf are a
plan's: weir tcp --show-plan prints one to begin with, and docs/transfers.md has the rest.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.measureOwn(cmd.Context(), plan.TCP(), own, time.Second)
		},
	}
	own.flags(a, cmd)
	return cmd
}
