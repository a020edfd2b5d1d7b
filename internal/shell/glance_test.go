package shell

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is asked for at each moment takes a turn each the first time and one turn together
// from then on, is as it was when the moment began, and comes as it is.
func TestGlance(t *testing.T) {
	h := opened(t, "")
	dir := t.TempDir()
	file, none := filepath.Join(dir, "it's a file"), filepath.Join(dir, "none")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := NewGlance(h)
	look := func(want string) (turns int) {
		t.Helper()
		before := h.commands.turns
		if text, err := g.ReadFile(t.Context(), file); text != want || err != nil {
			t.Errorf("the file: %q, %v; want %q", text, err, want)
		}
		write("changed\n")
		if all, err := g.ReadFiles(t.Context(), []string{file, none}); len(all) != 1 || all[file] != want || err != nil {
			t.Errorf("the files: %q, %v", all, err)
		}
		if _, err := g.ReadFile(t.Context(), none); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that is not there: %v", err)
		}
		if said, err := g.Run(t.Context(), "", "printf", "%s\n\n", "a 'b'", ""); said != "a 'b'\n\n\n\n" || err != nil {
			t.Errorf("a command: %q, %v", said, err)
		}
		if said, err := g.Run(t.Context(), "", "cat", file); said != want && said != "changed\n" || err != nil {
			t.Errorf("another command: %q, %v", said, err)
		}
		if said, err := g.Run(t.Context(), "in", "cat"); said != "in" || err != nil {
			t.Errorf("a command that reads: %q, %v", said, err)
		}
		return h.commands.turns - before
	}
	for i, turns := range []int{5, 2, 2} { // one of them is that of the command that reads
		text := strings.Repeat("one\ntwo\n", i+1)
		write(text)
		if n := look(text); n != turns {
			t.Errorf("moment %d took %d turns, want %d", i, n, turns)
		}
		g.Over()
	}
	began := g.At()
	if _, err := g.ReadFile(t.Context(), file); err != nil || !g.At().After(began) {
		t.Errorf("a moment began at %v, the next one at %v; %v", began, g.At(), err)
	}
}

// What fails says why, each time, and is tried once more.
func TestGlanceFails(t *testing.T) {
	h := opened(t, "")
	g := NewGlance(h)
	for range 2 {
		if _, err := g.Run(t.Context(), "", "sh", "-c", "echo no counters >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "exit status 3: no counters") {
			t.Error(err)
		}
		if _, err := g.Run(t.Context(), "", "a\x00b"); err == nil {
			t.Error("an octet of zeros was taken")
		}
		g.Over()
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.ReadFile(over, "/proc/stat"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := g.ReadFile(t.Context(), "/proc/stat"); err != nil {
		t.Errorf("after that: %v", err)
	}
}
