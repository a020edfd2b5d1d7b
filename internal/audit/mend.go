package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weir"
	"weir/internal/settings"
)

// Mender changes settings of a machine, and restores them.
type Mender struct {
	Host    weir.Host
	Journal *settings.Journal
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
	old, err := d.setting.Get(ctx, m.Host)
	if err != nil || old == d.value {
		return err
	}
	m.Say(fmt.Sprintf("%s  (was: %s)", d.setting.Command(d.value), settings.Short(old)))
	kept, err := m.Journal.Set(ctx, m.Host, &settings.Change{Setting: d.setting, Check: check, Old: old, New: d.value})
	if err == nil && !kept {
		err = fmt.Errorf("it is still %s", settings.Short(old))
	}
	return err
}

// Undo restores what was changed, as Journal.Restore does.
func (m Mender) Undo(ctx context.Context) error {
	_, err := m.Journal.Restore(ctx, func(string) (weir.Host, error) { return m.Host, nil }, m.Say)
	return err
}
