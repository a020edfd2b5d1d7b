package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"weir"
	"weir/frame"
	"weir/internal/infile"
	"weir/internal/lab"
	"weir/internal/plan"
	"weir/internal/sqlite"
	"weir/internal/visible"
)

// runFlags are the flags of weir run.
type runFlags struct {
	check, quick, controlled bool
	testbed, resume, id      string
}

// latest is what --resume without an id asks for: the campaign that began last
// of those that are not complete.
const latest = "latest"

func runVerb(a *app) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run PLAN.yaml",
		Short: "Measure what a plan says",
		Long: `Measure what a plan says. All of the plan is checked before anything is
touched. A plan of - is read from standard input.

A file may have several plans, with a line of --- between them: as many campaigns, one
after the other, and one table in which each is a row. What one of them cannot be
measured on keeps none of the others from it.

With --resume a campaign goes on that was interrupted, killed, or failed: the
latest one of this plan; without a plan, the latest one of all, or that with the
id. What it has measured is kept; at most one trial was lost.`,
		Args: takes(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && f.resume == "" {
				return usageError{errors.New("which plan? give its file, or --resume to go on with a campaign")}
			}
			if f.resume != "" && f.check {
				return usageError{errors.New("--check and --resume do not go together: a campaign has been checked")}
			}
			if f.id != "" && (f.resume != "" || !sqlite.IsID(f.id)) {
				return usageError{fmt.Errorf("--id %q: give one as weir does, to a campaign that begins", f.id)}
			}
			if f.controlled {
				go controlledBy(a.in)
				a.in = nil // nobody can be asked there
			}
			a.id = f.id
			if len(args) == 0 || f.resume != "" && f.resume != latest {
				return a.resume(cmd, f, len(args) > 0)
			}
			plans, err := a.readPlans(cmd.Context(), args[0])
			if errors.Is(err, fs.ErrNotExist) && f.resume != "" {
				return fmt.Errorf("%w; to go on with a campaign, say --resume=%s", err, args[0])
			}
			if err != nil {
				return err
			}
			for i, p := range plans {
				if p, err = a.onTestbed(p, f.testbed); err != nil {
					return err
				}
				if f.quick {
					p = p.Quickly()
				}
				plans[i] = p
			}
			switch {
			case f.resume != "" && len(plans) > 1:
				return usageError{fmt.Errorf("%s has %d plans: say which campaign is to go on, --resume=ID (weir list campaigns)", args[0], len(plans))}
			case f.check:
				for _, p := range plans {
					err = errors.Join(err, a.checkPlan(cmd.Context(), planName(args[0], p, len(plans)), p))
				}
				return err
			case f.resume != "":
				return a.goOn(cmd.Context(), &plans[0], "")
			case len(plans) > 1 && f.id != "":
				return usageError{fmt.Errorf("%s has %d plans: --id is for one", args[0], len(plans))}
			case len(plans) > 1:
				return a.measureAll(cmd.Context(), plans)
			}
			return a.measure(cmd.Context(), plans[0])
		},
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "check the plan, say how long it takes at most, and measure nothing")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "short and few trials, whatever the plan says, for a first look")
	cmd.Flags().StringVar(&f.resume, "resume", "", "go on with an unfinished campaign; --resume=ID with a certain one")
	cmd.Flags().Lookup("resume").NoOptDefVal = latest
	cmd.RegisterFlagCompletionFunc("resume", a.completeCampaigns(1, cobra.ShellCompDirectiveNoFileComp))
	testbedFlag(cmd, &f.testbed)
	cmd.Flags().StringVar(&f.id, "id", "", "the id of the campaign, for programs that start weir")
	cmd.Flags().BoolVar(&f.controlled, "controlled", false, "take a line on standard input, or its end, for a Ctrl-C, for programs that start weir")
	a.shownFlags(cmd)
	a.pageFlag(cmd)
	return cmd
}

// controlledBy has this process take each line that comes from somewhere for a Ctrl-C, and the end for
// one where none came before. Who has started it may be gone before it has ended in order: that
// nobody hears what it says then is no reason to end at once.
func controlledBy(in io.Reader) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	lines := 0
	for s := bufio.NewScanner(in); s.Scan(); lines++ {
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}
	if lines == 0 {
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}
}

// resume goes on with a campaign as it was begun.
func (a *app) resume(cmd *cobra.Command, f runFlags, plan bool) error {
	switch {
	case plan:
		return usageError{errors.New("a plan and --resume=ID both say which campaign: leave one out")}
	case f.quick || f.testbed != "":
		return usageError{errors.New("a campaign goes on as it was begun: --quick and --testbed are for new ones, or belong to a plan")}
	}
	id := f.resume
	if id == latest {
		id = ""
	}
	return a.goOn(cmd.Context(), nil, id)
}

// checkPlan says how much a plan is.
func (a *app) checkPlan(ctx context.Context, name string, p plan.Plan) error {
	if err := lab.Check(p); err != nil {
		return err
	}
	if err := a.tryLevels(ctx, p); err != nil {
		return err
	}
	if err := a.showPlan(name, p); err != nil {
		return err
	}
	if err := a.showCaptures(p); err != nil {
		return err
	}
	n := p.Questions()
	if n == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.out, "weir asks %s at most for the box to be set by hand, and the time that takes comes on top\n", number(float64(n), "time"))
	return err
}

// showPlan says what is measured, in which order, and how long that takes.
func (a *app) showPlan(name string, p plan.Plan) error {
	if blocks, runs := p.Schedule(); runs > 0 {
		return a.showSchedule(name, p, blocks, runs)
	}
	levels := ""
	if n := len(p.Levels); n > 1 {
		levels = fmt.Sprintf("%d levels, ", n)
	}
	rounds := ""
	if p.Rounds > 1 {
		rounds = ", " + number(float64(p.Rounds), "round")
	}
	_, err := fmt.Fprintf(a.out, "%s: %s, %s%s%s, at most %v\n", name, number(float64(len(p.Levels[0].Traffic)), "size"), levels, number(float64(len(p.Steps)), "method"), rounds, roughly(p.Takes()))
	if err != nil || p.Then == nil {
		return err
	}
	blocks, runs := p.Then.Schedule()
	return a.showSchedule("then", *p.Then, blocks, runs)
}

// showCaptures says how many frames of each capture of a plan are sent, and why the others are not.
func (a *app) showCaptures(p plan.Plan) error {
	for _, c := range p.Captures() {
		line := fmt.Sprintf("replay %s: all of its %s can be sent", visible.Text(c.File), number(float64(c.Frames), "frame"))
		if c.Left > 0 {
			line = fmt.Sprintf("replay %s: %d of its %d frames can be sent; left out are %s", visible.Text(c.File), c.Frames, c.Frames+c.Left, c.WhyLeft())
		}
		if _, err := fmt.Fprintln(a.out, line); err != nil {
			return err
		}
	}
	return nil
}

// tryLevels asks a testbed of a plan which of its levels it cannot set.
func (a *app) tryLevels(ctx context.Context, p plan.Plan) error {
	untried, err := lab.TryLevels(ctx, p)
	if untried != nil {
		fmt.Fprintln(a.err, "weir: not checked is whether a lab can set all levels:", untried)
	}
	return err
}

// showSchedule says in which order the runs of an experiment are made, and how
// long that takes.
func (a *app) showSchedule(name string, p plan.Plan, blocks []plan.Scheduled, runs int) error {
	e := p.Experiment
	atMost := ""
	if e.Runs == 0 {
		atMost = fmt.Sprintf("at most %d replicates, as many as it takes by a pilot of %d to see a change of %g %%: ", e.Most, e.Pilot, 100*e.Detect)
	}
	order := string(e.Schedule)
	switch why := p.WhyNotSideBySide(); {
	case e.Schedule == weir.Abreast:
		order += " (the arms of a block side by side)"
	case e.Schedule == weir.ABBA && p.Questions() > 0:
		order += " (there and back, which asks least for what is set by hand)"
	case why != "":
		order += " (side by side the arms cannot stand: " + why + ")"
	}
	fmt.Fprintf(a.out, "%s: %s%s in %s, at most %v; order %s, seed %d\n", visible.Line(name), atMost,
		number(float64(runs), "run"), number(float64(len(blocks)), "block"), roughly(p.Takes()), order, e.Seed)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BLOCK\tTRAFFIC\tORDER")
	for _, b := range blocks {
		traffic := b.Traffic
		if b.Stratum != "" {
			traffic += ", " + b.Stratum
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", b.Block, visible.Line(traffic), visible.Line(strings.Join(b.Arms, " | ")))
	}
	return w.Flush()
}

// planName is what people know a plan by: its file, and its own name where that has
// others.
func planName(file string, p plan.Plan, of int) string {
	if of == 1 {
		return file
	}
	return file + ", " + p.Name
}

// readPlan is readPlans of a file that has one.
func (a *app) readPlan(ctx context.Context, name string) (plan.Plan, error) {
	all, err := a.readPlans(ctx, name)
	switch {
	case err != nil:
		return plan.Plan{}, err
	case len(all) > 1:
		return plan.Plan{}, fmt.Errorf("%s has %d plans, and one is wanted here", name, len(all))
	}
	return all[0], nil
}

// readPlans reads and checks the plans in a file, or on standard input for "-".
// Files that they name lie beside it.
func (a *app) readPlans(ctx context.Context, name string) ([]plan.Plan, error) {
	var data []byte
	var err error
	folder := filepath.Dir(name)
	if name == "-" {
		name, folder = "stdin", "."
		data, err = infile.ReadAll(ctx, "it", a.in, plan.LongestPlan)
		a.in = nil // nobody can be asked there any more
	} else {
		data, err = infile.Read(name, plan.LongestPlan)
	}
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	if err := isText(data); err != nil {
		return nil, fmt.Errorf("read the plan %s: %w", name, err)
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, fmt.Errorf("find the folder of the plan: %w", err)
	}
	var all []plan.Plan
	for _, document := range plan.Documents(data) {
		p, wrong := plan.ParseWith(name, document, plan.Captures(frame.ReadCapture).In(folder))
		err = errors.Join(err, wrong)
		p.Folder = folder
		all = append(all, p)
	}
	return all, err
}

// isText refuses what no text editor has written, before a terminal is shown
// any of it.
func isText(data []byte) error {
	const shown = 40 // octets
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0x7f }
	i := bytes.IndexFunc(data, control)
	if i < 0 && utf8.Valid(data) {
		return nil
	}
	return fmt.Errorf("it is no text in UTF-8, but begins with %q: give a file in YAML", data[:min(shown, len(data))])
}

// testbedFlag lets a plan be tried on another testbed.
func testbedFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "testbed", "", "measure on this testbed instead: "+strings.Join(lab.Names(), ", "))
	cmd.RegisterFlagCompletionFunc("testbed", cobra.FixedCompletions(lab.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// onTestbed is p on a testbed of the given kind, with its defaults; "" and the
// kind that it has already leave the plan alone.
func (a *app) onTestbed(p plan.Plan, kind string) (plan.Plan, error) {
	if kind == "" || kind == p.Testbed.Kind {
		return p, nil
	}
	if _, err := lab.ByName(kind); err != nil {
		return p, usageError{err}
	}
	if kind == plan.Ports {
		return p, usageError{errors.New("which ports? A plan names them, testbed: {kind: ports, ports: [eth1, eth2]}, or weir bench --ports eth1,eth2")}
	}
	if kind != plan.Sim {
		return p.WithTestbed(plan.BareTestbed(kind)), nil
	}
	if none := p.WithoutEffect(); len(none) > 0 && !a.quiet {
		fmt.Fprintf(a.err, "weir: a simulated router has no %s: levels that differ in that alone are alike there\n", strings.Join(none, ", "))
	}
	return p.WithTestbed(plan.BareTestbed(kind)), nil
}
