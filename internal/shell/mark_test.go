package shell

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A host says that it is changed in a file that outlives the connection, and whoever comes next
// reads there who changed it; also where its disk is full.
func TestMark(t *testing.T) {
	file := filepath.Join(t.TempDir(), "it's locked")
	h := opened(t, "")
	if err := errors.Join(h.Mark(t.Context(), true), h.Unchanged(t.Context())); err != nil {
		t.Errorf("without a lock: %v", err)
	}
	if err := h.Lock(t.Context(), file, "the first"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.commands.turn(t.Context(), request{line: "trap '' XFSZ; ulimit -f 0"}); err != nil { // no file may have an octet
		t.Fatal(err)
	}
	if err := errors.Join(h.Unchanged(t.Context()), h.Mark(t.Context(), true), h.Mark(t.Context(), true)); err != nil {
		t.Error(err)
	}
	_, _ = h.Run(t.Context(), "", "sh", "-c", "kill -9 $PPID")
	next := opened(t, "")
	if err := next.Lock(t.Context(), file, "the second"); err != nil {
		t.Fatal(err)
	}
	var changed *ChangedError
	if err := next.Unchanged(t.Context()); !errors.As(err, &changed) || *changed != (ChangedError{"here", "the first, as here", file + ".changed"}) {
		t.Error(err)
	}
	if err := errors.Join(next.Mark(t.Context(), false), next.Mark(t.Context(), false), next.Unchanged(t.Context())); err != nil {
		t.Error(err)
	}
	if err := errors.Join(next.Close(), os.Remove(file)); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Dir(file) + "/*"); len(left) > 0 || err != nil {
		t.Error(left, err)
	}
}
