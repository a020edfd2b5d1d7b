package dut

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"weir"
	"weir/internal/settings"
)

// Applier is a Platform that can set its DUT to the levels of an experiment:
// the firewall and the tunings of a condition. What else a condition has is for
// others to set.
type Applier interface {
	// Apply sets the DUT and returns what undoes it, last first. When a part
	// fails, those before it have been undone, or the error says what is left
	// changed.
	Apply(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) (undo func(context.Context) error, err error)
	// Cannot says what of a condition cannot be set at this DUT, all of it, and
	// what to do; nil when nothing speaks against it. It changes nothing.
	Cannot(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) error
}

func (linux) Apply(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) (func(context.Context) error, error) {
	return levels{tunings, linuxFirewalls}.apply(ctx, d, s, c)
}

// Cannot asks the kernel by doing the same in a network namespace that is made
// for it and gone at once, where reading alone does not tell.
func (linux) Cannot(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) error {
	return levels{tunings, linuxFirewalls}.cannot(ctx, d, s, c)
}

// levels is what a platform can set a DUT to.
type levels struct {
	tunings   []tuning
	firewalls firewalls
}

// apply sets the firewall first, so that a command among the tunings can add
// to it.
func (l levels) apply(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) (func(context.Context) error, error) {
	undo := settings.Undo{Journal: s.Journal}
	fail := func(err error) (func(context.Context) error, error) {
		return nil, errors.Join(err, undo.Run(context.WithoutCancel(ctx)))
	}
	if c.Firewall().Kind != "" {
		own := &settings.Undo{Journal: s.Journal}
		err := l.firewalls.load(ctx, d, s, c, own)
		undo.Add(loud("the firewall "+c.Firewall().String()+" could not be undone", own.Run))
		if err != nil {
			return fail(fmt.Errorf("firewall %v: %w", c.Firewall(), err))
		}
	}
	for _, t := range c.Tunings() {
		kind, err := tuningOf(l.tunings, t)
		if err != nil {
			return fail(err)
		}
		own := &settings.Undo{Journal: s.Journal}
		err = kind.set(ctx, target{d, s}, t, own)
		notUndone := quoted(t) + " could not be undone"
		if t.Undo != "" {
			notUndone += fmt.Sprintf(" by %q", t.Undo)
		}
		undo.Add(loud(notUndone, own.Run)) // also of what was done by half
		if err != nil {
			return fail(fmt.Errorf("%s: %w", quoted(t), err))
		}
	}
	return undo.Run, nil
}

func (l levels) cannot(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) error {
	var errs []error
	if c.Firewall().Kind != "" {
		if err := l.firewalls.can(ctx, d, s, c); err != nil {
			errs = append(errs, fmt.Errorf("firewall %v: %w", c.Firewall(), err))
		}
	}
	for _, t := range c.Tunings() {
		kind, err := tuningOf(l.tunings, t)
		if err == nil {
			err = kind.check(ctx, target{d, s}, t)
			if err != nil {
				err = fmt.Errorf("%s: %w", quoted(t), err)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, outside(s.CPUs, c.Tunings()))...)
}

// loud has an error of an undo say what is left changed.
func loud(what string, undo func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := undo(ctx); err != nil {
			return fmt.Errorf("%s: %w: the DUT is left changed", what, err)
		}
		return nil
	}
}

// quoted names a tuning in an error: `gro off`, or `command "x"`.
func quoted(t weir.Tuning) string {
	if t.Name == commandTuning {
		return fmt.Sprintf("command %q", t.Value)
	}
	return t.String()
}

// apart runs a command at the host in a network namespace of its own, which
// ends with it: the kernel says whether it can do that, and nothing is changed.
func apart(ctx context.Context, h weir.Host, stdin string, argv ...string) error {
	_, err := h.Run(ctx, stdin, append([]string{"unshare", "--net", "--"}, argv...)...)
	if err != nil && strings.Contains(err.Error(), "unshare failed") {
		return fmt.Errorf("no network namespace can be made to try it in: %w", err)
	}
	return err
}
