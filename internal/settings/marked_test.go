package settings

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// marked is a machine that says at itself that it is changed.
type marked struct {
	*machine
	deaf bool // it cannot be told
}

func (m *marked) Mark(_ context.Context, changed bool) error {
	if m.deaf {
		return errors.New("its disk is full")
	}
	m.told = append(m.told, map[bool]string{true: "marked", false: "not marked"}[changed])
	return nil
}

// A host says that it is changed before the first change, and no longer when the last one is
// undone or forgotten, whoever does that. Where it cannot say so nothing is changed.
func TestMarked(t *testing.T) {
	for name, c := range map[string]struct {
		undo func(u *Undo, next *Journal, open func(string) (weir.Host, error)) error
		want []string
	}{
		"itself": {func(u *Undo, _ *Journal, _ func(string) (weir.Host, error)) error { return u.Run(t.Context()) }, []string{"/b = 1", "/a = 1", "not marked"}},
		"the next": {func(_ *Undo, next *Journal, open func(string) (weir.Host, error)) error {
			_, err := next.Restore(t.Context(), open, quiet)
			return err
		}, []string{"/b = 1", "/a = 1", "not marked"}},
		"forgotten": {func(_ *Undo, next *Journal, open func(string) (weir.Host, error)) error {
			return next.Forget(t.Context(), open)
		}, []string{"not marked"}},
		"forgotten without it": {func(_ *Undo, next *Journal, _ func(string) (weir.Host, error)) error {
			return next.Forget(t.Context(), func(string) (weir.Host, error) { return nil, fs.ErrPermission })
		}, nil},
	} {
		m := &marked{machine: newMachine("/a", "1", "/b", "1")}
		u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
		set := func(file string) error {
			_, err := u.Set(t.Context(), m, Setting{Kind: File, Name: file}, "2")
			return err
		}
		m.deaf = true
		if err := set("/a"); err == nil || len(m.changes()) > 0 || len(opened(t, u.Journal.Path()).Changes()) > 0 {
			t.Errorf("%s: without a mark: %v, %v", name, err, u.Journal.Changes())
		}
		m.deaf = false
		if err := errors.Join(set("/a"), set("/b")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"marked", "/a = 2", "/b = 2"}, m.changes()); diff != "" {
			t.Error(name, diff)
		}
		err := c.undo(u, opened(t, u.Journal.Path()), func(string) (weir.Host, error) { return m, nil })
		if diff := cmp.Diff(c.want, m.changes()); diff != "" || err != nil {
			t.Error(name, err, diff)
		}
		if left := opened(t, u.Journal.Path()).Changes(); len(left) > 0 {
			t.Errorf("%s: remembered: %v", name, left)
		}
	}
}
