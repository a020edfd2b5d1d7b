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
	var quick bool
	var own ownPlan
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this kernel, or a box behind two ports, forwards",
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
			glance := time.Second
			if quick {
				glance = 300 * time.Millisecond
			}
			return a.measureOwn(cmd.Context(), plan.Bench(quick), own, glance)
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "short trials, for a first look")
	own.flags(a, cmd)
	return cmd
}

// An ownPlan says where a plan of weir's own is measured.
type ownPlan struct {
	show    bool
	testbed string
	ports   []string
	layer   int
}

// flags adds the flags that choose that.
func (o *ownPlan) flags(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.show, "show-plan", false, "print the plan, and measure nothing")
	testbedFlag(cmd, &o.testbed)
	portsFlags(cmd, &o.ports, &o.layer, "measure the box behind these ports instead")
	cmd.MarkFlagsMutuallyExclusive("ports", "testbed")
	a.shownFlags(cmd)
	a.pageFlag(cmd)
}

// measureOwn measures a plan of weir's own where the flags say, after a look at what else runs there.
func (a *app) measureOwn(ctx context.Context, p plan.Plan, where ownPlan, glance time.Duration) (err error) {
	if len(where.ports) > 0 {
		if p, err = p.AtPorts(where.ports, where.layer); err != nil {
			return usageError{fmt.Errorf("--ports %s: %w", strings.Join(where.ports, ","), err)}
		}
	}
	if where.show {
		_, err := fmt.Fprint(a.out, p.Text)
		return err
	}
	if p, err = a.onTestbed(p, where.testbed); err != nil {
		return err
	}
	if err := a.lookAround(ctx, p, glance); err != nil {
		return err
	}
	return a.measure(ctx, p)
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
