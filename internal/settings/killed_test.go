//go:build unix

package settings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"weir"
)

// doomed is a machine of files in a folder, under which weir is killed at one of
// its steps.
type doomed struct {
	*machine
	dir  string
	left *int // steps until the end
}

func (d doomed) step() {
	if *d.left--; *d.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (d doomed) ReadFile(_ context.Context, path string) (string, error) {
	d.step()
	if path == bootID {
		return "a\n", nil
	}
	b, err := os.ReadFile(filepath.Join(d.dir, path))
	return string(b), err
}

func (d doomed) WriteFile(_ context.Context, path, data string) error {
	d.step()
	err := os.WriteFile(filepath.Join(d.dir, path), []byte(data), 0o644)
	d.step()
	return err
}

// TestKilled is killed at each step of three changes and of undoing them. Restore
// restores.
func TestKilled(t *testing.T) {
	const folder, steps = "WEIR_TEST_DOOMED", "WEIR_TEST_STEPS"
	in := func(dir string, left int) (weir.Host, *Journal) {
		return doomed{newMachine(), dir, &left}, opened(t, filepath.Join(dir, "journal.json"))
	}
	if dir := os.Getenv(folder); dir != "" { // in the process that is killed
		left, err := strconv.Atoi(os.Getenv(steps))
		if err != nil {
			t.Fatal(err)
		}
		h, j := in(dir, left)
		u := Undo{Journal: j}
		for _, value := range []string{"a2", "b2", "a3"} {
			if _, err := u.Set(t.Context(), h, Setting{Kind: File, Name: value[:1]}, value[1:]); err != nil {
				t.Fatal(err)
			}
		}
		if err := u.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return
	}
	changed := 0
	for step := 1; ; step++ {
		dir := t.TempDir()
		for _, name := range []string{"a", "b"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("1\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), folder+"="+dir, fmt.Sprintf("%s=%d", steps, step))
		out, err := child.CombinedOutput()
		var exit *exec.ExitError
		killed := errors.As(err, &exit) && !exit.Exited()
		if err != nil && !killed {
			t.Fatalf("%v: %s", err, out)
		}
		state := func() string {
			a, errA := os.ReadFile(filepath.Join(dir, "a"))
			b, errB := os.ReadFile(filepath.Join(dir, "b"))
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
			return strings.ReplaceAll(string(a)+string(b), "\n", "")
		}
		if state() != "11" {
			changed++
		}
		h, j := in(dir, 0)
		if _, err := j.Restore(t.Context(), func(string) (weir.Host, error) { return h, nil }, quiet); err != nil {
			t.Errorf("killed at step %d: %v", step, err)
		}
		if got := state(); got != "11" {
			t.Errorf("killed at step %d: %s after all was undone", step, got)
		}
		if !killed {
			break
		}
	}
	if changed < 5 {
		t.Errorf("it was killed with something changed %d times", changed)
	}
}
