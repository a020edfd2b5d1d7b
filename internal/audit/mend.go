package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// Mender changes settings of a machine, and restores them.
type Mender struct {
	Host   weir.Host
	Memory *Memory
	// Say is told of each step, a line without its end, before it is done.
	Say func(string)
}

// Wish says which findings are to be mended.
type Wish struct {
	// Only are names of checks. None: all that spoil or are doubtful, but for
	// those that are mended by name alone.
	Only []string
	// Guarded are devices that are left alone: they lead to the networks that
	// the machine lives on, and whoever asked may be there.
	Guarded []string
}

// Asked are the findings that a wish is for and that can be mended; refused are
// those of guarded devices, which are left.
func (w Wish) Asked(found []Finding) (asked, refused []Finding) {
	for _, f := range found {
		wanted := f.Severity != Note && !f.ByName
		if len(w.Only) > 0 {
			wanted = slices.Contains(w.Only, f.Check)
		}
		if !wanted || len(f.mends) == 0 {
			continue
		}
		f.mends = slices.Clone(f.mends)
		touched := slices.Contains(w.Guarded, f.Where)
		f.mends = slices.DeleteFunc(f.mends, func(m mend) bool {
			guarded := slices.Contains(w.Guarded, m.setting.Device)
			touched = touched || guarded
			return guarded
		})
		if touched {
			refused = append(refused, f)
		}
		if len(f.mends) > 0 && !slices.Contains(w.Guarded, f.Where) {
			asked = append(asked, f)
		}
	}
	return asked, refused
}

// Apply mends findings. Each old value is on disk before its setting is changed.
// One that cannot be changed does not keep the others from it; the error names
// all of those.
func (m Mender) Apply(ctx context.Context, asked []Finding) error {
	if err := m.sameBoot(ctx); err != nil {
		return err
	}
	var errs []error
	for _, f := range asked {
		for _, d := range f.mends {
			if ctx.Err() != nil {
				return errors.Join(append(errs, context.Cause(ctx))...)
			}
			if err := m.change(ctx, f.Check, d); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", f.Check, d.setting, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (m Mender) change(ctx context.Context, check string, d mend) error {
	old, err := d.setting.get(ctx, m.Host)
	if err != nil || old == d.value {
		return err
	}
	m.Say(fmt.Sprintf("%s  (was: %s)", d.setting.Command(d.value), short(old)))
	changes := &m.Memory.kept.Changes
	*changes = append(*changes, Change{Setting: d.setting, Check: check, Old: old, New: d.value})
	if err := m.Memory.save(); err != nil {
		*changes = (*changes)[:len(*changes)-1]
		return err
	}
	setErr := d.setting.set(ctx, m.Host, d.value)
	now, err := d.setting.get(ctx, m.Host)
	if err != nil {
		return errors.Join(setErr, err) // it stays remembered: nobody knows what it is
	}
	if now == old {
		*changes = (*changes)[:len(*changes)-1]
		if setErr == nil {
			setErr = fmt.Errorf("it is still %s", short(old))
		}
	} else {
		last := &(*changes)[len(*changes)-1]
		last.New, last.Done = now, true // a driver may have rounded it
	}
	return errors.Join(setErr, m.Memory.save())
}

// sameBoot begins the memory of this start of the machine.
func (m Mender) sameBoot(ctx context.Context) error {
	boot, err := m.Host.ReadFile(ctx, "/proc/sys/kernel/random/boot_id")
	if err != nil {
		return err
	}
	boot = strings.TrimSpace(boot)
	k := &m.Memory.kept
	if k.Boot != "" && k.Boot != boot && len(k.Changes) > 0 {
		m.Say(fmt.Sprintf("the machine has started anew since %d settings were changed, and with it they are what they were: nothing to restore of these", len(k.Changes)))
		k.Changes = nil
	}
	k.Boot = boot
	return nil
}

// NotRestoredError is a setting that is not what it was before.
type NotRestoredError struct {
	Change Change
	Cause  error
}

func (e *NotRestoredError) Error() string {
	return fmt.Sprintf("NOT RESTORED: %s was %s: %v; by hand: %s", e.Change.Setting, short(e.Change.Old), e.Cause, e.Change.Setting.Command(e.Change.Old))
}

// Unwrap is what kept it from being restored.
func (e *NotRestoredError) Unwrap() error { return e.Cause }

// Undo restores what was changed, the last first, and looks whether it is as it
// was. What could not be restored stays in memory, and the error has a
// *NotRestoredError for each.
func (m Mender) Undo(ctx context.Context) error {
	if err := m.sameBoot(ctx); err != nil {
		return err
	}
	var errs []error
	var left []Change
	changes := slices.Clone(m.Memory.kept.Changes)
	for i := len(changes) - 1; i >= 0; i-- {
		if ctx.Err() != nil {
			return errors.Join(append(errs, context.Cause(ctx))...)
		}
		if err := m.restore(ctx, changes[i]); err != nil {
			errs = append(errs, &NotRestoredError{changes[i], err})
			left = append([]Change{changes[i]}, left...)
		}
		m.Memory.kept.Changes = append(slices.Clone(changes[:i]), left...)
		if err := m.Memory.save(); err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	return errors.Join(append(errs, m.Memory.save())...)
}

func (m Mender) restore(ctx context.Context, c Change) error {
	now, err := c.get(ctx, m.Host)
	if err != nil || now == c.Old {
		return err
	}
	if c.Done && now != c.New {
		return fmt.Errorf("weir had set it to %s, and somebody has set it to %s since", short(c.New), short(now))
	}
	line, _, _ := strings.Cut(c.Command(c.Old), "\n")
	m.Say(line)
	setErr := c.set(ctx, m.Host, c.Old)
	if now, err = c.get(ctx, m.Host); err != nil || now != c.Old {
		if err == nil && setErr == nil {
			err = fmt.Errorf("it is %s now", short(now))
		}
		return errors.Join(setErr, err)
	}
	return nil
}

// short is a value on one line.
func short(value string) string {
	if n := strings.Count(value, "\n"); n > 1 {
		return fmt.Sprintf("%d lines", n)
	}
	if value = strings.TrimSpace(value); value == "" {
		return "nothing"
	}
	return value
}
