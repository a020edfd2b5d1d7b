package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weir/internal/audit"
	"weir/internal/settings"
)

// auditFlags are the flags of the verb.
type auditFlags struct {
	role, lab, plan   string
	only              []string
	apply, undo, list bool
	defaultRoute      bool
	watch             time.Duration
	devices           []string
}

func auditVerb(a *app) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit [DEVICE...]",
		Short: "What on this machine would spoil a measurement, and what mends it?",
		Long: `List what would spoil a measurement here, or make it doubtful, with the reason,
its source and the command that mends it. It looks at the ports that are named,
or else at the Ethernet ports that do not lead to the networks that the machine
lives on, and at the machine.

Looking changes nothing. --apply mends what spoils or is doubtful; --only names
checks, and mends what they merely note as well. Each old value is on disk before
its setting is changed, and --undo restores them, the last first. Ports that
lead to the networks that the machine lives on are left alone, unless
--default-route is given.

The exit code is 0 when nothing spoils, 1 when something does, or when something
could not be mended or restored.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.devices = args
			if err := f.check(); err != nil {
				return usageError{err}
			}
			return a.audit(cmd.Context(), f)
		},
	}
	a.printsJSON(cmd, "what was found is")
	flags := cmd.Flags()
	flags.StringVar(&f.role, "role", "", "what the machine does: dut or tester (default dut; in a lab what its namespace is)")
	flags.StringVar(&f.lab, "lab", "", "look into this lab, made by weir lab up; the side is that of --role")
	flags.StringVar(&f.plan, "plan", "", "a plan, whose flows are held against queues and connection tracking")
	flags.StringSliceVar(&f.only, "only", nil, "these checks only, by name")
	flags.BoolVar(&f.apply, "apply", false, "mend what can be mended")
	flags.BoolVar(&f.undo, "undo", false, "restore what was mended")
	flags.BoolVar(&f.list, "list", false, "list the checks with their sources")
	flags.BoolVar(&f.defaultRoute, "default-route", false, "with --apply: mend ports that lead to the networks the machine lives on, too")
	flags.DurationVar(&f.watch, "watch", time.Second, "for how long to look for other load")
	return cmd
}

// leastWatch is ten ticks of the counters that other load is seen by.
const leastWatch = 100 * time.Millisecond

// check refuses flags that do not go together.
func (f auditFlags) check() error {
	switch {
	case f.apply && f.undo:
		return errors.New("--apply and --undo do not go together")
	case f.undo && (len(f.only) > 0 || len(f.devices) > 0 || f.plan != ""):
		return errors.New("--undo restores all that was changed: leave out devices, --only and --plan")
	case f.defaultRoute && !f.apply:
		return errors.New("--default-route goes with --apply")
	case f.watch < leastWatch || f.watch > time.Hour:
		return fmt.Errorf("--watch %v: between %v and an hour", f.watch, leastWatch)
	case f.role != "" && f.role != string(audit.DUT) && f.role != string(audit.Tester):
		return fmt.Errorf("unknown role %q: one of %s, %s", f.role, audit.DUT, audit.Tester)
	}
	var names []string
	for _, c := range audit.Checks() {
		names = append(names, c.Name)
	}
	for _, name := range f.only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("unknown check %q: one of %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

func (a *app) audit(ctx context.Context, f auditFlags) error {
	if f.list {
		return a.listChecks()
	}
	place, err := auditPlace(f)
	if err != nil {
		return err
	}
	defer place.leave()
	if f.undo {
		return a.undoAudit(ctx, place)
	}
	c := audit.Config{Host: place.host, Role: place.role, Devices: f.devices, Watch: f.watch, Self: os.Getpid(), Only: f.only}
	if f.plan != "" {
		p, err := a.readPlan(ctx, f.plan)
		if err != nil {
			return err
		}
		for _, t := range p.Traffic {
			if c.Flows == 0 || t.Flows < c.Flows {
				c.Flows = t.Flows
			}
			entries := t.Flows
			if t.Bidirectional {
				entries *= 2
			}
			c.Entries = max(c.Entries, entries)
		}
	}
	r, err := audit.Look(ctx, c)
	if err != nil {
		return err
	}
	out := audited{Report: r}
	if f.apply {
		if out, err = a.applyAudit(ctx, c, f, place, r); out.Changed == nil {
			return err
		}
	}
	if showErr := a.showAudit(out); showErr != nil || err != nil {
		return errors.Join(err, showErr)
	}
	if out.Count(audit.Spoils) > 0 {
		return exitStatus(exitError)
	}
	return nil
}

// applyAudit mends what was found and looks again.
func (a *app) applyAudit(ctx context.Context, c audit.Config, f auditFlags, place auditedPlace, r audit.Report) (audited, error) {
	wish := audit.Wish{Only: f.only}
	if !f.defaultRoute {
		wish.Guarded = r.Guarded
	}
	asked, refused := wish.Asked(r.Findings)
	for _, finding := range refused {
		a.sayStep(fmt.Sprintf("%s: %s is left alone, as %s leads to the networks that this machine lives on; --default-route mends it too", finding.Check, finding.Where, strings.Join(wish.Guarded, ", ")))
	}
	release, err := place.reserve()
	if err != nil {
		return audited{}, err
	}
	defer release()
	journal, err := settings.OpenJournal(place.file)
	if err != nil {
		return audited{}, err
	}
	before := len(journal.Changes())
	m := audit.Mender{Host: c.Host, Journal: journal, Say: a.sayStep}
	mendErr := m.Apply(ctx, asked)
	if ctx.Err() != nil {
		return audited{}, fmt.Errorf("%w; what was changed until then is restored by: %s", mendErr, place.undo())
	}
	changes := journal.Changes()
	out := audited{Changed: append([]settings.Change{}, changes[min(before, len(changes)):]...)}
	if len(changes) > 0 {
		a.sayStep(number(float64(len(changes)), "setting") + " changed; restore with: " + place.undo())
	}
	out.Report, err = audit.Look(ctx, c)
	return out, errors.Join(mendErr, err)
}

// undoAudit restores what was mended at a place.
func (a *app) undoAudit(ctx context.Context, place auditedPlace) error {
	release, err := place.reserve()
	if err != nil {
		return err
	}
	defer release()
	journal, err := settings.OpenJournal(place.file)
	if err != nil {
		return err
	}
	before := len(journal.Changes())
	err = audit.Mender{Host: place.host, Journal: journal, Say: a.sayStep}.Undo(ctx)
	left := journal.Changes()
	if a.format == "json" {
		return errors.Join(err, a.printJSON(map[string]any{"changes": before, "left": append([]settings.Change{}, left...)}))
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w\n%s left changed; they stay in %s", err, number(float64(len(left)), "setting"), place.file)
	case before == 0:
		fmt.Fprintln(a.out, "nothing was changed here")
	default:
		fmt.Fprintf(a.out, "%s restored\n", number(float64(before), "setting"))
	}
	return nil
}

// sayStep prints what is being done, beside a result in JSON.
func (a *app) sayStep(line string) {
	if a.format == "json" {
		fmt.Fprintln(a.err, line)
		return
	}
	fmt.Fprintln(a.out, line)
}
