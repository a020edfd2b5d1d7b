package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weir/internal/campaign"
)

func benchVerb(a *app) *cobra.Command {
	var quick, show bool
	var testbed string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine's forwarding: throughput, FRMOL, latency",
		Long: `Measure how this machine's kernel forwards, in network namespaces of its own:
throughput at no loss and at 0.5 % loss, FRMOL, and latency at half of the
throughput, for frames of 64, 512 and 1518 octets and a simple IMIX. Then it asks
whether a stateful firewall makes a difference, in runs that are compared within
blocks.

It takes at most two minutes, and with --quick at most 25 s. Root is needed;
--testbed sim tries weir on a simulated router without it.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var errs []error
			for i, p := range []campaign.Plan{campaign.Bench(quick), campaign.BenchComparison(quick)} {
				if i > 0 && (show || a.format == "text") {
					fmt.Fprintln(a.out)
				}
				if show {
					fmt.Fprint(a.out, p.Text)
					continue
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
	cmd.Flags().BoolVar(&show, "show-plan", false, "print the plan and measure nothing")
	testbedFlag(cmd, &testbed)
	return cmd
}
