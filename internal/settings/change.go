package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"weir"
)

// Change is what was changed at a host, and how it is undone: a setting gets its
// old value again, or a command is run.
type Change struct {
	Host string `json:"host,omitempty"` // its name
	Boot string `json:"boot,omitempty"` // which start of it that was, as BootOf says it
	Setting
	Check string   `json:"check,omitempty"` // of an audit, whose finding it mends
	Old   string   `json:"old"`
	New   string   `json:"new"`            // as the host has it, once it is done
	Undo  *Command `json:"undo,omitempty"` // what undoes it; nil: setting the old value
	Done  bool     `json:"done"`           // it was seen to be done; until then it may be or not
	// Failed is why the old value could not be set back when that was tried last: where its host
	// is gone after that, the device may have left it first.
	Failed string `json:"failed,omitempty"`
}

// Set changes a setting, of which c has the old and the new value. The old one is
// on disk before that. What is then there is in New: a driver may round a value, or
// keep the old one, which is no error here and nothing to undo. kept says that there
// is something to undo.
func (j *Journal) Set(ctx context.Context, h weir.Host, c *Change) (kept bool, err error) {
	if err := j.add(ctx, h, c); err != nil {
		return false, err
	}
	setErr := c.set(ctx, h, c.New)
	now, err := c.Get(ctx, h)
	if err != nil {
		return true, errors.Join(setErr, err) // nobody knows what it is
	}
	c.New, c.Done = now, true
	if now == c.Old {
		return false, errors.Join(setErr, j.drop(ctx, h, c))
	}
	return true, errors.Join(setErr, j.save())
}

// undo undoes a change and forgets it. A command that fails is forgotten, too, where
// it is not known whether there was anything to undo: whoever was killed may not have
// come to that, or have undone it already, and so may a command whose connection was
// lost. One that hangs or could not be started has not undone it, nor has weir itself
// (Native). What the host's next start has undone is forgotten; what it may have undone counts as not known. Of what is
// gone, by an answer, the error is ErrGone, and it is forgotten; of what is forgotten after it
// has failed it is a *forgottenError.
func (j *Journal) undo(ctx context.Context, h weir.Host, c *Change, say func(string)) error {
	done := c.Done
	if j != nil {
		anew, err := c.startedAnew(ctx, h)
		if err != nil {
			return err
		}
		if anew && !c.outlasts() {
			return j.drop(ctx, h, c)
		}
		done = done && !anew
	}
	if c.Undo == nil {
		if err := c.restore(ctx, h, j != nil, say); err != nil {
			if c.Device != "" && errors.Is(err, fs.ErrNotExist) {
				return err
			}
			c.Failed = err.Error()
			return errors.Join(err, j.save())
		}
		return j.drop(ctx, h, c)
	}
	line, _, _ := strings.Cut(c.Undo.String(), "\n")
	say(line)
	c.Done = false
	if err := j.save(); err != nil {
		return err
	}
	err := c.Undo.run(ctx, h)
	var lost *weir.LostError
	if errors.As(err, &lost) { // it may have been undone: once more, and who fails then has nothing to undo
		done = false
		if err = c.Undo.run(ctx, h); errors.As(err, &lost) {
			return err
		}
	}
	var hung *HungError
	var unasked *unaskedError
	var unstarted *weir.UnstartedError
	switch {
	case errors.Is(err, ErrGone):
		return cmp.Or(j.drop(ctx, h, c), ErrGone)
	case err != nil && (done || c.Undo.Native != nil || errors.As(err, &hung) || errors.As(err, &unasked) || errors.As(err, &unstarted)):
		c.Done = done
		return errors.Join(err, j.save())
	case err != nil:
		return cmp.Or[error](j.drop(ctx, h, c), &forgottenError{c, err})
	}
	return j.drop(ctx, h, c)
}

// first is what a change needs before any other is undone; nil: nothing.
func (c *Change) first() *Native {
	if c == nil || c.Undo == nil || c.Undo.Native == nil || c.Undo.Native.First == "" {
		return nil
	}
	first := *c.Undo.Native
	first.Do = first.First
	return &first
}

// prepare does what a change needs before any other is undone. Where that fails, undoing it does
// likewise, and says so.
func (n *Native) prepare(ctx context.Context, h weir.Host) {
	if native, can := h.(NativeHost); can {
		_ = native.Native(ctx, *n)
	}
}

// setSinceError is a setting that somebody else has set since weir did: it stays so.
type setSinceError struct{ was, is string }

func (e *setSinceError) Error() string {
	return fmt.Sprintf("weir had set it to %s, and somebody has set it to %s since", Short(e.was), Short(e.is))
}

// unsettled is what has to wait for settings of interfaces that could not be set back.
type unsettled struct {
	devices map[[2]string]bool // the interfaces, by the names of their hosts and their own
	hosts   map[string]bool    // where interfaces wait to come back to, by their names
}

func newUnsettled() unsettled { return unsettled{map[[2]string]bool{}, map[string]bool{}} }

// note notes what became of a change at a host. An interface that is not there any more, as its
// owner has it back, say, waits for nothing.
func (u unsettled) note(ctx context.Context, h weir.Host, c *Change, err error) {
	var since *setSinceError
	if c.Undo != nil || c.Device == "" || err == nil || errors.Is(err, ErrGone) || errors.Is(err, fs.ErrNotExist) || errors.As(err, &since) {
		return
	}
	_, away := h.ReadFile(ctx, "/sys/class/net/"+c.Device+"/ifindex")
	u.devices[[2]string{c.Host, c.Device}] = !errors.Is(away, fs.ErrNotExist)
}

// add notes a change that stays in the journal, as nobody could ask its host.
func (u unsettled) add(c *Change) {
	if c.Undo == nil && c.Device != "" {
		u.devices[[2]string{c.Host, c.Device}] = true
	}
}

// keeps is the error of a change that waits; nil: it may be undone. An interface does not come back
// before its settings, and what was changed before it left may be about it.
func (u unsettled) keeps(c *Change) error {
	last := c.Undo != nil && c.Undo.Native != nil && c.Undo.Native.Last
	switch {
	case last && u.devices[[2]string{cmp.Or(c.Undo.Native.In, c.Host), c.Undo.Native.Name}]:
		u.hosts[c.Host] = true
		return fmt.Errorf("%s stays where weir has it until its settings are what they were", c.Undo.Native.Name)
	case !last && u.hosts[c.Host]:
		return errors.New("a port has to come back first")
	}
	return nil
}

// forgottenError is a change that could not be undone, and of which it is not known whether it
// was made, or where it is now.
type forgottenError struct {
	change *Change
	err    error
}

func (e *forgottenError) Error() string {
	if e.change.Undo == nil {
		return fmt.Sprintf("%s is forgotten: it could not be set back: %v; by hand: %s", e.change.Setting, e.err, e.change.Command(e.change.Old))
	}
	return fmt.Sprintf("it is not known whether there was anything to undo; undoing it failed: %v; by hand: %s", e.err, e.change.Undo)
}

func (e *forgottenError) Unwrap() error { return e.err }

// startedAnew reports whether the host has started anew since.
func (c *Change) startedAnew(ctx context.Context, h weir.Host) (bool, error) {
	boot, err := BootOf(ctx, h)
	return err == nil && StartedAnew(c.Boot, boot), err
}

// outlasts reports whether a change may outlast the host's next start: one of a user's
// command may, which can write to disks; weir's own are to the memory alone.
func (c *Change) outlasts() bool { return c.Undo != nil && c.Undo.Limit > 0 }

// restore spares what somebody else has set since, at a host that stays.
func (c *Change) restore(ctx context.Context, h weir.Host, stays bool, say func(string)) error {
	now, err := c.Get(ctx, h)
	if c.Kind == Thread && errors.Is(err, fs.ErrNotExist) {
		return nil // it has ended, as those of a port do that is set down
	}
	if err != nil || now == c.Old {
		return err
	}
	if stays && c.Done && now != c.New {
		return &setSinceError{c.New, now}
	}
	line, _, _ := strings.Cut(c.Command(c.Old), "\n")
	say(line)
	setErr := c.set(ctx, h, c.Old)
	if now, err = c.Get(ctx, h); err != nil || now != c.Old {
		if err == nil && setErr == nil {
			err = fmt.Errorf("it is %s now", Short(now))
		}
		return errors.Join(setErr, err)
	}
	return nil
}

// NotRestoredError is a setting that is not what it was before.
type NotRestoredError struct {
	Change Change
	Cause  error
}

func (e *NotRestoredError) Error() string {
	if c := e.Change.Undo; c != nil {
		return fmt.Sprintf("NOT RESTORED: %v; by hand: %s", e.Cause, c)
	}
	return fmt.Sprintf("NOT RESTORED: %s was %s: %v; by hand: %s", e.Change.Setting, Short(e.Change.Old), e.Cause, e.Change.Setting.Command(e.Change.Old))
}

// Unwrap is what kept it from being restored.
func (e *NotRestoredError) Unwrap() error { return e.Cause }

// Short is a value on one line.
func Short(value string) string {
	if n := strings.Count(value, "\n"); n > 1 {
		return fmt.Sprintf("%d lines", n)
	}
	if value = strings.TrimSpace(value); value == "" {
		return "nothing"
	}
	return value
}
