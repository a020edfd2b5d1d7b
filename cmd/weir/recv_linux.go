package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/lab"
	"weir/internal/settings"
	"weir/internal/testbed"
	"weir/internal/tester"
)

func recvVerb(a *app) *cobra.Command {
	var c tester.ReceiveConfig
	var seconds float64
	var trust bool
	var may permission
	cmd := &cobra.Command{
		Use:   "recv --dev PORT --seconds S",
		Short: "Receive test frames at one port",
		Long: `Count, check and time the test frames that arrive at one port of the network
namespace that weir runs in. They are dropped; everything else passes to the
stack. A line on standard error says from when on they count. Frames of several
sends are told apart, unless these began within a quarter of a second, or 64 s
after each other: then those of one are duplicates.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !(seconds > 0) || seconds > 1e6 || math.IsNaN(seconds) {
				return usageError{fmt.Errorf("--seconds %v is not above 0 and at most 1000000", seconds)}
			}
			if err := nameCPUs(c.CPUs); err != nil {
				return usageError{err}
			}
			if err := lab.NeedLab(); err != nil {
				return err
			}
			if err := portHere(c.Port); err != nil {
				return err
			}
			if len(c.CPUs) > 0 {
				if err := may.spare(c.Port, "--cpu has its frames taken by threads of their own, also those of others"); err != nil {
					return err
				}
			}
			c.Duration, c.Verify = time.Duration(seconds*float64(time.Second)), !trust
			if !a.quiet {
				c.Begun = func() { fmt.Fprintf(a.err, "receiving at %s\n", c.Port) }
			}
			r, err := received(cmd.Context(), c)
			if err != nil {
				return err
			}
			if a.format == "json" {
				return a.printJSON(r)
			}
			fmt.Fprintf(a.out, "received  %d frames, %.0f frames/s\nlost      %d\nduplicate %d\nlate      %d\ncorrupt   %d\nother     %d\n",
				r.Received, r.Rate, r.Lost, r.Duplicate, r.Late, r.Corrupt, r.Other)
			if r.Sends > 1 {
				fmt.Fprintf(a.out, "sends     %d; the rate is over all the time from the first frame to the last\n", r.Sends)
			}
			if l := r.Latency; l != nil {
				fmt.Fprintf(a.out, "latency   min %.1f  p50 %.1f  p90 %.1f  p99 %.1f  p99.9 %.1f  max %.1f  mean %.1f us\n",
					l.Min*1e6, l.P50*1e6, l.P90*1e6, l.P99*1e6, l.P999*1e6, l.Max*1e6, l.Mean*1e6)
			}
			a.warn(r.Warnings)
			return nil
		},
	}
	a.printsJSON(cmd, "what was received is")
	f := cmd.Flags()
	f.StringVar(&c.Port, "dev", "", "port to listen at")
	f.Float64Var(&seconds, "seconds", 1, "how long")
	f.IntSliceVar(&c.CPUs, "cpu", nil, "CPUs for the port's receive queues, each on one of them in turn (default: where they run now)")
	f.BoolVar(&c.Keep, "keep", false, "pass test frames to the stack too, where a capture sees them")
	f.BoolVar(&trust, "trust-checksums", false, "do not check the transport checksum of each frame")
	f.BoolVar(&may.defaultRoute, "allow-default-route", false, "--cpu also at a port that leads to the networks the machine lives on")
	cmd.MarkFlagRequired("dev")
	return cmd
}

// received receives at a port of this machine.
func received(ctx context.Context, c tester.ReceiveConfig) (r tester.ReceiveResult, err error) {
	err = changing(ctx, func(h weir.Host, j *settings.Journal) (err error) {
		c.Host, c.Journal = h, j
		r, err = tester.Receive(ctx, c)
		return err
	})
	return r, err
}

// changing runs what changes ports of this machine, after what a killed process has left
// changed there is undone.
func changing(ctx context.Context, do func(weir.Host, *settings.Journal) error) error {
	if err := testbed.Sweep(ctx); err != nil {
		return err
	}
	h, err := testbed.Here()
	if err != nil {
		return err
	}
	return testbed.Journalled(func(j *settings.Journal) error { return do(h, j) })
}
