package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"weir"
)

// Undo is what has to be undone, the last first. What outlives this process is data,
// in the journal before it is changed; what ends with it may be a function.
type Undo struct {
	Journal *Journal // nil: the hosts end with this process
	steps   []step
}

// step is a change at a host, or something that is undone by a function.
type step struct {
	host   weir.Host
	change *Change
	do     func(context.Context) error
}

// Add adds a function; nil adds nothing.
func (u *Undo) Add(f func(context.Context) error) {
	if f != nil {
		u.steps = append(u.steps, step{do: f})
	}
}

// AddClose adds a function that needs no context.
func (u *Undo) AddClose(f func() error) {
	u.Add(func(context.Context) error { return f() })
}

// Set gives a setting of a host a value, and says which one it then has: the host
// may have made something else of it.
func (u *Undo) Set(ctx context.Context, h weir.Host, s Setting, value string) (now string, err error) {
	old, err := s.Get(ctx, h)
	if err != nil || old == value {
		return old, err
	}
	c := &Change{Setting: s, Old: old, New: value}
	kept, err := u.Journal.Set(ctx, h, c)
	if kept {
		u.steps = append(u.steps, step{host: h, change: c})
	}
	return c.New, err
}

// Do runs a command that does all or nothing, which another one undoes. Once begun it
// is not interrupted before its limit: nobody would know what it has done.
func (u *Undo) Do(ctx context.Context, h weir.Host, do, undo Command) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx = context.WithoutCancel(ctx)
	c, err := u.intend(ctx, h, undo)
	if err != nil {
		return err
	}
	err = do.run(ctx, h)
	switch {
	case unknown(err): // it may have done it: c is not known to be done, and undone all the same
		return err
	case err != nil:
		u.steps = u.steps[:len(u.steps)-1]
		return errors.Join(err, u.Journal.drop(ctx, h, c))
	}
	c.Done = true
	return u.Journal.save()
}

// Try is Do with a command that may fail after it has done a part: it is undone all
// the same.
func (u *Undo) Try(ctx context.Context, h weir.Host, do, undo Command) error {
	c, err := u.intend(ctx, h, undo)
	if err != nil {
		return err
	}
	err = do.run(ctx, h)
	var lost *weir.LostError
	c.Done = !errors.As(err, &lost)
	return errors.Join(err, u.Journal.save())
}

// intend remembers what undoes a command that is yet to be run.
func (u *Undo) intend(ctx context.Context, h weir.Host, undo Command) (*Change, error) {
	c := &Change{Undo: &undo}
	if err := u.Journal.add(ctx, h, c); err != nil {
		return nil, err
	}
	u.steps = append(u.steps, step{host: h, change: c})
	return c, nil
}

// Run undoes all of it. What fails does not keep the others from it, and stays in
// the journal. A setting whose device is gone is gone with it.
func (u *Undo) Run(ctx context.Context) error {
	for _, s := range slices.Backward(u.steps) {
		if first := s.change.first(); first != nil {
			first.prepare(ctx, s.host)
		}
	}
	var errs []error
	left := newUnsettled()
	for i := len(u.steps) - 1; i >= 0; i-- {
		s := u.steps[i]
		if s.change == nil {
			errs = append(errs, s.do(ctx))
			continue
		}
		if err := left.keeps(s.change); err != nil && u.Journal != nil {
			errs = append(errs, err)
			continue
		}
		err := u.Journal.undo(ctx, s.host, s.change, func(string) {})
		left.note(ctx, s.host, s.change, err)
		var forgotten *forgottenError
		switch {
		case errors.Is(err, ErrGone), errors.As(err, &forgotten):
			err = nil
		case s.change.Undo == nil && errors.Is(err, fs.ErrNotExist):
			err = u.Journal.drop(ctx, s.host, s.change)
		case err != nil && s.change.Undo == nil:
			err = fmt.Errorf("%s: %w", s.change.Setting, err)
		}
		errs = append(errs, err)
	}
	u.steps = nil
	return errors.Join(errs...)
}

// Close is Run for what needs no context.
func (u *Undo) Close() error { return u.Run(context.Background()) }
