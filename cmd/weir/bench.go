package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"weir/internal/plan"
)

func benchVerb(a *app) *cobra.Command {
	var quick, show bool
	var testbed string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine's forwarding: at no loss, at 0.5 % loss, saturated; latency",
		Long: `Measure how this machine's kernel forwards, in network namespaces of its own:
the rate without loss, that at 0.5 % loss, what is forwarded of far more, and the
latency at half of the second, for frames of 64, 512 and 1518 octets and a simple
IMIX, in three rounds over all of them. Then it asks what a stateful firewall costs,
in runs that are compared within blocks.

It takes at most a minute, and with --quick at most 15 s. Root is needed;
--testbed sim tries weir on a simulated router without it.

It exits with 1 also where it found no number for a frame size, as on a machine
that is too busy, and says which size and why.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := plan.Bench(quick)
			if show {
				_, err := fmt.Fprint(a.out, p.Text)
				return err
			}
			p, err := a.onTestbed(p, testbed)
			if err != nil {
				return err
			}
			if a.noticed, err = a.lookAround(cmd.Context(), p); err != nil {
				return err
			}
			return a.measure(cmd.Context(), p)
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "short trials, for a first look")
	cmd.Flags().BoolVar(&show, "show-plan", false, "print the plan, and measure nothing")
	testbedFlag(cmd, &testbed)
	a.shownFlags(cmd)
	return cmd
}
