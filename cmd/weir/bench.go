package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/lab"
	"weir/internal/plan"
)

func benchVerb(a *app) *cobra.Command {
	var quick, show bool
	var testbed string
	var ports []string
	var layer int
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine's forwarding: at no loss, at 0.5 % loss, saturated; latency",
		Long: `Measure how this machine's kernel forwards, in network namespaces of its own:
the rate without loss, that at 0.5 % loss, what is forwarded of far more, and the
latency at half of the second, for frames of 64, 512 and 1518 octets and a simple
IMIX, in three rounds over all of them. Then it asks what a stateful firewall costs,
in runs that are compared within blocks.

With --ports it measures a box that is connected with two ports of this machine, of
which it knows nothing, in the same way: see docs/ports.md.

It takes at most a minute, and with --quick at most 15 s. Root is needed;
--testbed sim tries weir on a simulated router without it.

It exits with 1 also where it found no number for a frame size, as on a machine
that is too busy, and says which size and why.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := plan.Bench(quick), error(nil)
			if len(ports) > 0 {
				if p, err = plan.BenchAt(quick, ports, layer); err != nil {
					return usageError{fmt.Errorf("--ports %s: %w", strings.Join(ports, ","), err)}
				}
			}
			if show {
				_, err := fmt.Fprint(a.out, p.Text)
				return err
			}
			if p, err = a.onTestbed(p, testbed); err != nil {
				return err
			}
			glance := time.Second
			if quick {
				glance = 300 * time.Millisecond
			}
			if err := a.lookAround(cmd.Context(), p, glance); err != nil {
				return err
			}
			return a.measure(cmd.Context(), p)
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "short trials, for a first look")
	cmd.Flags().BoolVar(&show, "show-plan", false, "print the plan, and measure nothing")
	testbedFlag(cmd, &testbed)
	portsFlags(cmd, &ports, &layer, "measure the box behind these ports instead")
	cmd.MarkFlagsMutuallyExclusive("ports", "testbed")
	a.shownFlags(cmd)
	return cmd
}

// portsFlags name the ports of a tester, and what is behind them.
func portsFlags(cmd *cobra.Command, ports *[]string, layer *int, what string) {
	cmd.Flags().StringSliceVar(ports, "ports", nil, what+": eth1,eth2, by name, Ethernet address or PCI address")
	cmd.Flags().IntVar(layer, "layer", 3, "with --ports: 3 for a router, 2 for a switch or a bridge")
}

// lookAround says what a time shows of other work on this machine before a plan is measured there,
// and keeps it for the manifest.
func (a *app) lookAround(ctx context.Context, p plan.Plan, within time.Duration) error {
	found, err := lab.LookAround(ctx, p, within)
	for _, f := range found {
		fmt.Fprintf(a.err, "%s%s: %s; %s\n", f.What, weir.BeforeStart, f.Found, f.Advice)
		a.noticed = append(a.noticed, weir.Setting{Where: "host", Name: f.What + weir.BeforeStart, Value: f.Found, Brief: f.Brief})
	}
	return err
}
