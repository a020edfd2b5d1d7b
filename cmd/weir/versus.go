package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/plan"
	"weir/internal/report"
)

// The exit codes of weir versus with a limit, beside those of all verbs.
const (
	exitWorse   = 3 // a loss of more than is allowed is proven
	exitUnknown = 4 // it is neither proven nor out of the question
)

// The exit codes of weir versus --bisect, as git bisect run takes them.
const (
	bisectGood = 0
	bisectBad  = 1
	bisectSkip = 125 // this commit cannot be tested
	bisectStop = 128 // the bisection makes no sense; from 128 on git stops it
)

// bisectFlag is the name of the flag by which exit codes are those of git bisect run.
const bisectFlag = "bisect"

// bisectCode returns what git bisect run is told in place of an exit code.
func bisectCode(code int) int {
	switch code {
	case exitOK:
		return bisectGood
	case exitWorse:
		return bisectBad
	case exitUnknown, exitError:
		return bisectSkip
	case exitUsage:
		return bisectStop
	}
	return code
}

// versusFlags are the flags of weir versus.
type versusFlags struct {
	failAbove, size, testbed, of string
	name                         string
	method                       string
	within                       time.Duration
	runs                         int
	check, foreground, bisect    bool
}

func versusVerb(a *app) *cobra.Command {
	methods := plan.VersusMethods()
	f := versusFlags{method: methods[0], size: "64", runs: 6, within: 3200 * time.Millisecond} // all of it is over in 40 s
	cmd := &cobra.Command{
		Use:   "versus A B | --of=CAMPAIGN",
		Short: "Say by how much B forwards more or less than A, and whether that is proven",
		Long: `Say by how much B forwards more or less than A.

A and B are shell commands, or files, that set a DUT up: they run in its network
namespace, which forwards already, and find its ports in $WEIR_PORT0 and
$WEIR_PORT1, and which of the two it is in $WEIR_ARM. A file that ends in .nft is
a rule set for nft -f; another one is run, or given to sh where it is not
executable. "" is plain forwarding. Both stand side by side on the same CPUs, with
a second A beside them, and what is sent to them takes turns within milliseconds;
all are built anew for each run.

  weir versus "" "nft -f rules.nft"
  weir versus old.nft new.nft --fail-above 2%
  weir versus "sysctl -qw net.ipv4.ip_early_demux=1" "sysctl -qw net.ipv4.ip_early_demux=0"

With --method both are judged by something else: latency (the median, at half of what
each forwards), throughput (the highest load without loss, by RFC 2544's search) or tcp
(goodput of a stream). The last two measure one arm after the other, in random order
within blocks: small differences take more runs there.

With --fail-above it exits with 3 when it is proven that B is worse by more than
that, with 4 when that is neither proven nor out of the question, else with 0.

With --bisect too, it exits as git bisect run takes it: with 0 when a loss of more than
that is out of the question, with 1 when it is proven, with 125 when neither is known
or it could not be measured, and with 128 or more when the bisection has to stop.

  git bisect run weir versus good.nft rules.nft --fail-above 2% --bisect

With --of it judges two arms that were measured already, for another limit or in
another format, and goes on with a campaign that was interrupted.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.of == "" {
				return takes(exactlyTwo)(cmd, args)
			}
			for _, name := range []string{"size", "runs", "within", "foreground", "check", "testbed", "name"} {
				if len(args) > 0 || cmd.Flags().Changed(name) {
					return usageError{errors.New("--of judges what was measured: leave A, B and what they are measured with out")}
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := share("--fail-above", f.failAbove)
			switch {
			case err != nil:
				return usageError{err}
			case f.bisect && limit == 0:
				return usageError{errors.New("--bisect needs the loss from which on a commit is bad: --fail-above 2%")}
			case !slices.Contains(methods, f.method):
				return usageError{fmt.Errorf("unknown method %q: --method is one of %s; for others write a plan", f.method, strings.Join(methods, ", "))}
			case f.of != "":
				return a.versusOf(cmd.Context(), f, limit)
			case f.method == "tcp" && (cmd.Flags().Changed("size") || cmd.Flags().Changed("within")):
				return usageError{errors.New("--size and --within are for test frames: leave them out of --method tcp")}
			}
			return a.versus(cmd.Context(), args, f, limit)
		},
	}
	f.addMeasured(cmd, methods)
	cmd.Flags().StringVar(&f.of, "of", "", "judge this campaign of two arms in place of measuring; --of=latest the latest one")
	cmd.RegisterFlagCompletionFunc("of", a.completeCampaigns(1, cobra.ShellCompDirectiveNoFileComp))
	testbedFlag(cmd, &f.testbed)
	a.shownFlags(cmd)
	a.pageFlag(cmd)
	return cmd
}

// addMeasured adds the flags of what is measured, and how it is judged.
func (f *versusFlags) addMeasured(cmd *cobra.Command, methods []string) {
	cmd.Flags().StringVar(&f.method, "method", methods[0], "what both are judged by: "+strings.Join(methods, ", "))
	cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(methods, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&f.failAbove, "fail-above", "", "exit with 3 when B is proven to be worse by more than this: 2%")
	cmd.Flags().BoolVar(&f.bisect, bisectFlag, false, "with --fail-above: exit with 0, 1 or 125, as git bisect run takes it")
	cmd.Flags().StringVar(&f.name, "name", "", "what the campaign is called (default: A vs B, as they were given)")
	cmd.Flags().StringVar(&f.size, "size", f.size, "frames: octets with the FCS, or imix")
	cmd.Flags().IntVar(&f.runs, "runs", f.runs, "how often both are built and measured")
	cmd.Flags().DurationVar(&f.within, "within", f.within, "time for the windows of each run, or for its search")
	cmd.Flags().BoolVar(&f.foreground, "foreground", false, "A and B stay, and are what forwards: programs that end when they are killed")
	cmd.Flags().BoolVar(&f.check, "check", false, "print the plan that is measured, and measure nothing")
}

// exactlyTwo refuses anything but two arms.
func exactlyTwo(_ *cobra.Command, args []string) error {
	switch n := len(args); {
	case n < 2:
		return errors.New(`which two? weir versus A B, of which "" is plain forwarding`)
	case n > 2:
		return fmt.Errorf("%d arms are more than two: quote a command that has several words; for more arms write a plan with the factor command (weir list factors)", n)
	}
	return nil
}

// versus measures two arms side by side and says what is between them.
func (a *app) versus(ctx context.Context, args []string, f versusFlags, limit float64) (err error) {
	v := plan.Versus{Method: f.method, Foreground: f.foreground, Size: f.size, Runs: f.runs, Within: f.within}
	v.Name = cmp.Or(f.name, plan.VersusName([2]string(args)))
	for i, arm := range args {
		if f.foreground && filepath.Ext(arm) == ".nft" {
			return usageError{fmt.Errorf("%s is a rule set, and no program that stays: leave --foreground out", arm)}
		}
		if v.Arms[i], err = plan.SetUp(arm, f.foreground); err != nil {
			return err
		}
	}
	text, err := v.Text()
	if err != nil {
		return err
	}
	p, err := plan.Parse("versus", text)
	if err != nil {
		return usageError{fmt.Errorf("these cannot be measured: %w", err)}
	}
	if p, err = a.onTestbed(p, f.testbed); err != nil {
		return err
	}
	if f.check {
		_, err := a.out.Write(text)
		return err
	}
	return a.gated(f.method, limit, func() error { return a.measure(ctx, p) })
}

// versusOf says what is between two arms that were measured, and goes on with a
// campaign of them that is not complete.
func (a *app) versusOf(ctx context.Context, f versusFlags, limit float64) error {
	return a.gated(f.method, limit, func() error {
		store, err := a.readStore(ctx)
		if err != nil {
			return err
		}
		c, err := findAbridged(ctx, store, f.of)
		if err = errors.Join(err, store.Close()); err != nil {
			return err
		}
		if e := c.Manifest.Experiment; e == nil || len(e.Arms) != 2 {
			return fmt.Errorf("campaign %s compares no two arms: weir compare tells what it proves", c.ID)
		}
		if c.Ended == "" || c.Ended == weir.EndedInterrupted {
			return a.goOn(ctx, nil, c.ID)
		}
		if err := a.tell(c); err != nil || a.page == "" {
			return err
		}
		return a.writeReport(a.page, "html", c)
	})
}

// gated does what tells the results of two arms, and has an exit code that says
// what they mean to who allows a loss.
func (a *app) gated(method string, limit float64, do func() error) error {
	gate := report.Passes
	a.tell = func(c weir.Campaign) (err error) {
		gate, err = a.tellVersus(c, method, limit)
		return err
	}
	a.again = "versus "
	if method == plan.VersusLatency {
		a.again += "--method " + method + " "
	}
	if limit > 0 {
		a.again += fmt.Sprintf("--fail-above %g ", limit)
	}
	a.again += "--of="
	if err := do(); err != nil {
		return err
	}
	switch {
	case limit > 0 && gate == report.Fails:
		return exitStatus(exitWorse)
	case limit > 0 && gate == report.Unknown:
		return exitStatus(exitUnknown)
	}
	return nil
}

// tellVersus prints what was found, and says what it means to who allows a loss.
func (a *app) tellVersus(c weir.Campaign, method string, limit float64) (report.Gate, error) {
	v, err := report.VersusOf(c, method == plan.VersusLatency, limit)
	if err != nil && c.Ended != weir.EndedComplete {
		return report.Unknown, nil // nothing was found, and why is said
	}
	if err != nil {
		return report.Unknown, err
	}
	return v.Gate(), v.Write(a.out, a.format, a.options())
}
