package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"weir/internal/campaign"
)

func runVerb(a *app) *cobra.Command {
	var check bool
	var testbed string
	cmd := &cobra.Command{
		Use:   "run PLAN.yaml",
		Short: "Measure what a plan says",
		Long: `Measure what a plan says. All of the plan is checked before anything is
touched. A plan of - is read from standard input.`,
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.readPlan(args[0])
			if err != nil {
				return err
			}
			if p, err = onTestbed(p, testbed); err != nil {
				return err
			}
			if check {
				_, err := fmt.Fprintf(a.out, "%s: %d sizes, %d methods, at most %v\n", args[0], len(p.Traffic), len(p.Steps), roughly(p.WorstCase()))
				return err
			}
			return a.measure(cmd.Context(), p)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "check the plan, say how long it takes at most, and measure nothing")
	testbedFlag(cmd, &testbed)
	return cmd
}

// readPlan reads and checks the plan in a file, or on standard input for "-".
func (a *app) readPlan(name string) (campaign.Plan, error) {
	var data []byte
	var err error
	if name == "-" {
		name = "stdin"
		data, err = io.ReadAll(a.in)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return campaign.Plan{}, fmt.Errorf("read the plan: %w", err)
	}
	return campaign.Parse(name, data)
}

// testbedFlag lets a plan be tried on another testbed.
func testbedFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "testbed", "", "measure on this testbed instead: "+kinds())
	cmd.RegisterFlagCompletionFunc("testbed", cobra.FixedCompletions(testbedKinds(), cobra.ShellCompDirectiveNoFileComp))
}

// onTestbed is p on a testbed of the given kind, with its defaults; "" and the
// kind that it has already leave the plan alone.
func onTestbed(p campaign.Plan, kind string) (campaign.Plan, error) {
	if kind == "" || kind == p.Testbed.Kind {
		return p, nil
	}
	if _, err := findTestbed(kind); err != nil {
		return p, usageError{err}
	}
	t := campaign.Testbed{Kind: kind}
	if kind == campaign.Sim {
		t = campaign.SimulatedTestbed()
	}
	return p.WithTestbed(t), nil
}
