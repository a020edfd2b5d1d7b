package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weir/internal/campaign"
)

// benchParts are what weir bench measures, one after the other.
var benchParts = []string{"rates", "comparison"}

func benchVerb(a *app) *cobra.Command {
	var quick bool
	var show, testbed string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine's forwarding: throughput, FRMOL, latency",
		Long: `Measure how this machine's kernel forwards, in network namespaces of its own:
throughput at no loss and at 0.5 % loss, FRMOL, and latency at half of the
throughput, for frames of 64, 512 and 1518 octets and a simple IMIX. Then it asks
whether a stateful firewall makes a difference, in runs that are compared within
blocks.

With --format json the two campaigns are two objects, one after the other.

It takes at most two minutes, and with --quick at most 25 s. Root is needed;
--testbed sim tries weir on a simulated router without it.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var errs []error
			plans := []campaign.Plan{campaign.Bench(quick), campaign.BenchComparison(quick)}
			if show != "" {
				at := slices.Index(benchParts, show)
				if at < 0 {
					return usageError{fmt.Errorf("weir bench has no plan %q: one of %s", show, strings.Join(benchParts, ", "))}
				}
				_, err := fmt.Fprint(a.out, plans[at].Text)
				return err
			}
			for i, p := range plans {
				if i > 0 && a.format == "text" {
					fmt.Fprintln(a.out)
				}
				p, err := onTestbed(p, testbed)
				if err != nil {
					return err
				}
				// What the first plan could not measure is no reason to leave the
				// second one out.
				if errs = append(errs, a.measure(cmd.Context(), p)); cmd.Context().Err() != nil {
					break
				}
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "short trials, for a first look")
	cmd.Flags().StringVar(&show, "show-plan", "", "print the plan and measure nothing: that of the rates, or with --show-plan=comparison that of the comparison")
	cmd.Flags().Lookup("show-plan").NoOptDefVal = benchParts[0]
	testbedFlag(cmd, &testbed)
	return cmd
}
