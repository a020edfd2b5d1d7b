package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/campaign"
	"weir/internal/report"
	"weir/internal/visible"
)

// The exit codes.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2   // the command line is wrong
	exitInterrupted = 130 // as shells report SIGINT
)

// verbs is the table of commands; each has a file of its own.
var verbs = []func(*app) *cobra.Command{
	benchVerb,
	tcpVerb,
	versusVerb,
	runVerb,
	reportVerb,
	serveVerb,
	claimVerb,
	importVerb,
	forgetVerb,
	compareVerb,
	historyVerb,
	listVerb,
	planVerb,
	versionVerb,
	manualVerb,
}

// app is what all verbs share: the streams and the global flags.
type app struct {
	in       io.Reader
	out, err io.Writer // which show what a terminal would obey
	bare     streams   // as they were given, for what is a terminal itself

	store  string
	format string
	quiet  bool
	shown  report.Options // by the flags of shownFlags
	page   string         // the file for the page of what is measured; "": one beside the store

	noticed []weir.Setting // of the machine, before a campaign: part of its manifest
	// tell prints what a campaign has found; nil: all verbs but one print it alike.
	tell func(weir.Campaign) error
	id   string // of the campaign that begins; "": a new one
	// again is the verb that goes on with an interrupted campaign, before its id; "":
	// weir run.
	again string
}

// streams are those for output.
type streams struct{ out, err io.Writer }

// usageError is a command line that is wrong.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// unfinishedError is a campaign that was interrupted, with how to go on.
type unfinishedError struct {
	cause   error
	command string // that goes on with it
}

func (e unfinishedError) Error() string { return "interrupted; go on with: " + e.command }
func (e unfinishedError) Unwrap() error { return e.cause }

// exitStatus is the exit code of a command that weir ran for the user, who has
// seen already what it said.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run is the program as a function: it ends with the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	code := execute(ctx, args, in, out, errOut)
	if slices.Contains(args, "--"+bisectFlag) { // in a command line that is wrong, too
		return bisectCode(code)
	}
	return code
}

// execute runs the verb that the arguments name, and returns the exit code of its error.
func execute(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	a := &app{in: in, bare: streams{out, errOut}}
	a.out, a.err = visible.Writer(out), visible.Writer(errOut)
	out, errOut = a.out, a.err
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	var usage usageError
	var exit exitStatus
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		text := "interrupted"
		if unfinished := (unfinishedError{}); errors.As(err, &unfinished) {
			text = unfinished.Error()
		}
		var left *campaign.UndoError
		if errors.As(err, &left) {
			fmt.Fprintln(errOut, "weir:", visible.Brief(left.Error()))
			fmt.Fprintln(errOut, "weir:", text)
			return exitError
		}
		fmt.Fprintln(errOut, "weir:", text)
		return exitInterrupted
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &usage):
		fmt.Fprintf(errOut, "weir: %s\nSee '%s --help'.\n", visible.Brief(err.Error()), cmd.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(errOut, "weir: %s\n", visible.Brief(err.Error()))
	return exitError
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "weir",
		Short: "Measure what a router forwards, and what may be said about it",
		Long: `weir measures how fast a router, a firewall or a switch forwards packets: at what loss,
latency and CPU cost. Each number comes with its interval, its trials and what speaks against it.

Exit codes: 0 all went well; 1 something could not be done, could not be set back at the
DUT, or has no number; 2 the command line is wrong; 130 interrupted. "weir versus" has two
more with --fail-above, and those of git bisect run with --bisect.`,
		Version:       weir.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          knownVerb,

		SuggestionsMinimumDistance: 2,
		RunE:                       func(*cobra.Command, []string) error { return a.printWelcome() },
	}
	root.SetVersionTemplate("weir {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.HasSuffix(err.Error(), "--dry-run") {
			err = fmt.Errorf("%w: did you mean weir run --check?", err)
		}
		return usageError{err}
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.store, "store", "", "file of the store (default $WEIR_STORE, or weir/weir.db below $XDG_DATA_HOME or ~/.local/share)")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress on standard error")
	for _, verb := range append(linuxVerbs, verbs...) {
		root.AddCommand(verb(a))
	}
	describeUsage(root)
	return root
}

// knownVerb refuses a verb that is not in the table.
func knownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w: did you mean %s?", err, strings.Join(near, " or "))
	}
	return usageError{err}
}

// takes has a verb's arguments checked as a matter of usage.
func takes(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}
