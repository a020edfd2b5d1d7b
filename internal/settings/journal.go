package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"weir"
	"weir/internal/outfile"
)

// Journal is the file in which changes are remembered until they are undone. It
// is replaced as a whole, so whoever is killed leaves the old or the new one. A
// nil one remembers nothing, for hosts that end with this process.
type Journal struct {
	path string
	kept kept

	Forced bool // Restore has no change wait for another one that failed
}

type kept struct {
	Version int       `json:"version"`
	Changes []*Change `json:"changes"` // in the order in which they were made
}

// journalVersion is that of the file's format. That before it, which has no Native, is read, too.
const journalVersion = 3

// OpenJournal reads the file; it is no error when there is none yet. One that others than root
// and the user that called sudo could have written is refused: it has commands.
func OpenJournal(path string) (*Journal, error) {
	j := &Journal{path: path, kept: kept{Version: journalVersion}}
	if err := outfile.OnlyOurs(path); err != nil { // before it is read: it may be a pipe, or have no end
		return nil, fmt.Errorf("what %s says was changed is not undone: %w", path, err)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was changed: %w", err)
	}
	err = json.Unmarshal(data, &j.kept)
	if err == nil && j.kept.Version != journalVersion && j.kept.Version != journalVersion-1 {
		return nil, &OtherVersionError{path, j.kept.Version}
	}
	if err == nil {
		err = j.kept.check()
	}
	if err != nil {
		return nil, &DamagedError{path, err}
	}
	j.kept.Version = journalVersion
	return j, nil
}

// check says what no weir has written.
func (k kept) check() error {
	for i, c := range k.Changes {
		switch {
		case c == nil:
			return fmt.Errorf("change %d is empty", i+1)
		case c.Undo != nil && len(c.Undo.Argv) == 0:
			return fmt.Errorf("the command of change %d is empty", i+1)
		case c.Undo == nil && c.Kind == "":
			return fmt.Errorf("change %d has no kind", i+1)
		}
	}
	return nil
}

// DamagedError is a journal that cannot be read.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s, which says what was changed, is damaged: %v", e.Path, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// OtherVersionError is a journal of a weir of another version.
type OtherVersionError struct {
	Path    string
	Version int
}

func (e *OtherVersionError) Error() string {
	return fmt.Sprintf("%s, which says what was changed, is of another version of weir (%d, this one knows %d): undo with that one (weir lab restore)", e.Path, e.Version, journalVersion)
}

// Path is where the file lies.
func (j *Journal) Path() string { return j.path }

// Changes are those that are not undone, in the order in which they were made.
func (j *Journal) Changes() []Change {
	var all []Change
	for _, c := range j.kept.Changes {
		all = append(all, *c)
	}
	return all
}

// Marked is a host that says at itself that it is changed, to those who know no journal of
// it: another machine's, which would measure what is not its own.
type Marked interface {
	// Mark says that it is changed, or no longer.
	Mark(ctx context.Context, changed bool) error
}

// mark has a host say that it is changed with c, its first change in the journal, or no
// longer with c, its last one.
func (j *Journal) mark(ctx context.Context, h weir.Host, c *Change, changed bool) error {
	m, can := h.(Marked)
	if !can || slices.ContainsFunc(j.kept.Changes, func(o *Change) bool { return o != c && o.Host == c.Host }) {
		return nil
	}
	return m.Mark(context.WithoutCancel(ctx), changed)
}

// add has a change on disk before it is made, and then at the host that it is changed.
func (j *Journal) add(ctx context.Context, h weir.Host, c *Change) (err error) {
	if j == nil {
		return nil
	}
	c.Host = h.Name()
	if c.Boot, err = BootOf(ctx, h); err != nil {
		return err
	}
	j.kept.Changes = append(j.kept.Changes, c)
	if err = j.save(); err == nil {
		err = j.mark(ctx, h, c, true)
	}
	if err != nil {
		j.kept.Changes = j.kept.Changes[:len(j.kept.Changes)-1]
		return errors.Join(err, j.save())
	}
	return nil
}

// drop forgets a change that is undone, once the host, where it is there, no longer says
// that it is changed.
func (j *Journal) drop(ctx context.Context, h weir.Host, c *Change) error {
	if j == nil {
		return nil
	}
	if err := j.mark(ctx, h, c, false); err != nil {
		return err
	}
	j.kept.Changes = slices.DeleteFunc(j.kept.Changes, func(o *Change) bool { return o == c })
	return j.save()
}

// Restore undoes what was changed, the last first, and looks whether it is as it
// was. What could not be restored stays in the journal, and the error has a
// *NotRestoredError for each. open is the host of a name; one that is gone, with
// its settings, is an error that is fs.ErrNotExist, and one for which it is not the time
// ErrLater: its changes stay, which is no error. say is told of each step, a
// line without its end, before it is done.
func (j *Journal) Restore(ctx context.Context, open func(host string) (weir.Host, error), say func(string)) (r Restored, err error) {
	var errs []error
	var forgotten *forgottenError
	anew := 0
	left := newUnsettled()
	for _, c := range slices.Backward(j.kept.Changes) {
		first := c.first()
		if first == nil || ctx.Err() != nil {
			continue
		}
		if h, err := open(c.Host); err == nil {
			first.prepare(ctx, h)
		}
	}
	for i := len(j.kept.Changes) - 1; i >= 0; i-- {
		if ctx.Err() != nil {
			return r, errors.Join(append(errs, context.Cause(ctx))...)
		}
		c := j.kept.Changes[i]
		h, err := open(c.Host)
		if errors.Is(err, ErrLater) {
			left.add(c)
			continue
		}
		gone := errors.Is(err, fs.ErrNotExist)
		away := gone
		if err == nil {
			var started bool
			if started, err = c.startedAnew(ctx, h); started && !c.outlasts() {
				anew++
				gone = true
			}
		}
		switch {
		case err != nil && !gone:
			left.add(c)
		case err == nil && !j.Forced:
			err = left.keeps(c)
		}
		if !gone && err == nil {
			err = j.undo(ctx, h, c, say)
			left.note(ctx, h, c, err)
			gone = c.Device != "" && errors.Is(err, fs.ErrNotExist) // it went with its device
		}
		if gone {
			err = cmp.Or(j.drop(ctx, h, c), ErrGone)
		}
		if away && c.Failed != "" && errors.Is(err, ErrGone) {
			err = &forgottenError{c, fmt.Errorf("%s, and where it was is gone: the device may be elsewhere, as it is", c.Failed)}
		}
		switch {
		case errors.Is(err, ErrLater):
		case err == nil:
			r.Undone++
		case errors.Is(err, ErrGone):
			r.Gone++
		case errors.As(err, &forgotten):
			r.Forgotten = append(r.Forgotten, forgotten.Error())
			say(forgotten.Error())
		default:
			errs = append(errs, &NotRestoredError{*c, err})
		}
	}
	if anew > 0 {
		say(fmt.Sprintf("the machine has started anew since %d settings were changed, and with it they are what they were: nothing to restore of these", anew))
	}
	return r, errors.Join(errs...)
}

// Restored is how many changes Restore has undone, how many were gone with what they
// were made to, or with the start of the machine that they were made in, and which it has
// forgotten, with why: undoing them failed, and it is not known whether they were made, or
// where they were made is gone.
type Restored struct {
	Undone    int      `json:"undone"`
	Gone      int      `json:"gone"`
	Forgotten []string `json:"forgotten,omitempty"`
}

// ErrLater is a host whose changes are undone at another time.
var ErrLater = errors.New("not now")

// Forget removes the file: nothing of it will be undone. Hosts that open finds no longer
// say that they are changed.
func (j *Journal) Forget(ctx context.Context, open func(host string) (weir.Host, error)) (err error) {
	for _, c := range slices.Clone(j.kept.Changes) {
		h, away := open(c.Host)
		if away != nil || j.drop(ctx, h, c) != nil {
			err = errors.Join(err, j.drop(ctx, nil, c))
		}
	}
	return err
}

// save has the file on disk before it returns. Without changes there is none.
func (j *Journal) save() error {
	if j == nil {
		return nil
	}
	if len(j.kept.Changes) == 0 {
		if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what was remembered: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(j.kept, "", "  ")
	if err == nil {
		err = replace(j.path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember what is changed: %w", err)
	}
	return nil
}

// Unfinished is the end of the name of a journal that is being written.
const Unfinished = ".new"

// replace writes a file beside the old one, and gives it its name.
func replace(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	temporary := path + Unfinished
	var f *os.File
	for range 3 { // another weir may remove the empty folder in this moment
		if err = os.MkdirAll(filepath.Dir(dir), 0o755); err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
		if err == nil {
			f, err = os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
