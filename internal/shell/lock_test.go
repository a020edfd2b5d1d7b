package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// hurried is a host where waiting takes no time: what waits there leaves a mark.
func hurried(t *testing.T, name, first string) (h *Host, waited func() bool) {
	t.Helper()
	mark := filepath.Join(t.TempDir(), "waited")
	h, err := New(t.Context(), name, local(first))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if _, err := h.commands.turn(t.Context(), request{line: "sleep() { : >" + mark + "; }"}); err != nil {
		t.Fatal(err)
	}
	return h, func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}
}

// Two cannot use a host at once; the lock of one that has ended does not count, and one's
// own is taken again with the next shell.
func TestLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "it's locked")
	h := opened(t, "")
	if err := h.Lock(t.Context(), file, "the first"); err != nil {
		t.Fatal(err)
	}
	other, _ := hurried(t, "here", "")
	if err := other.Lock(t.Context(), file, "the second"); !errors.As(err, new(*InUseError)) {
		t.Errorf("both have the lock: %v", err)
	}
	_, _ = h.Run(t.Context(), "", "sh", "-c", "kill -9 $PPID")
	if out, err := h.Run(t.Context(), "", "cat", file); err != nil || !strings.HasSuffix(out, " the first, as here\n") {
		t.Errorf("%q, %v", out, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	third := opened(t, "")
	if err := third.Lock(t.Context(), file, "the third"); err != nil {
		t.Error(err)
	}
}

// What a killed weir has left, or a full disk, is no lock, and of many that find it one
// takes it.
func TestStaleLock(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{"", "no number\n", fmt.Sprintf("%d a killed one\n", ended.Process.Pid)} {
		folder := t.TempDir()
		file := filepath.Join(folder, "lock")
		for _, name := range []string{file, fmt.Sprintf("%s.old.%d", file, ended.Process.Pid)} {
			if err := os.WriteFile(name, []byte(left), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		const contenders = 6
		errs := make([]error, contenders)
		var group sync.WaitGroup
		var taken atomic.Bool
		for i := range contenders {
			h, _ := hurried(t, "here", "")
			group.Go(func() {
				for again := true; again; again = !taken.Load() { // without a pause all may give way to each other
					errs[i] = h.Lock(t.Context(), file, fmt.Sprint(i))
					taken.CompareAndSwap(false, errs[i] == nil)
				}
			})
		}
		group.Wait()
		took := 0
		for _, err := range errs {
			if err == nil {
				took++
			} else if !errors.As(err, new(*InUseError)) {
				t.Error(err)
			}
		}
		if took != 1 {
			t.Errorf("after %q %d of %d have the lock", left, took, contenders)
		}
		if old, err := filepath.Glob(file + ".old*"); len(old) > 0 || err != nil {
			t.Error(old, err)
		}
	}
}

// A folder that cannot be written, and a disk that is full, are said as what they are,
// without waiting, and no lock is left.
func TestUnwritableLock(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none", "lock")
	h, waited := hurried(t, "here", "")
	if err := h.Lock(t.Context(), none, "me"); err == nil || !strings.Contains(err.Error(), "for reading alone?): sh: ") || strings.Contains(err.Error(), "in use by") {
		t.Error(err)
	}
	if waited() {
		t.Error("a folder that is not there was waited for")
	}
	full := filepath.Join(t.TempDir(), "lock")
	h, waited = hurried(t, "here", "")
	if _, err := h.commands.turn(t.Context(), request{line: "trap '' XFSZ; ulimit -f 0"}); err != nil { // no file may have an octet
		t.Fatal(err)
	}
	if err := h.Lock(t.Context(), full, "me"); err == nil || !strings.Contains(err.Error(), "for reading alone?): sh: ") {
		t.Error(err)
	}
	if left, err := filepath.Glob(full + "*"); len(left) > 0 || err != nil {
		t.Error(left, err)
	}
	if waited() {
		t.Error("a disk that is full was waited for")
	}
}

// Any shell of POSIX says that a host is in use.
func TestLockInUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	if err := opened(t, "").Lock(t.Context(), file, "the first"); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"sh", "bash"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Errorf("%s is missing: apt-get install %s", shell, shell)
			continue
		}
		h, _ := hurried(t, "here", "exec "+path)
		err = h.Lock(t.Context(), file, "the second")
		var used *InUseError
		if !errors.As(err, &used) || used.By != "the first, as here" {
			t.Fatalf("%s: %v", shell, err)
		}
		lock, err := os.ReadFile(file)
		if process, _, _ := strings.Cut(string(lock), " "); err != nil || used.Process != process || !strings.Contains(used.Error(), "(ps -p "+process+"), which was killed then, remove the file") {
			t.Errorf("%s: %v, and the lock is %q, %v", shell, used, lock, err)
		}
	}
}

// A host that has two names is told from one that another weir uses, at once. By the same
// name it is a connection that was lost, which is waited for.
func TestLockTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	if err := opened(t, "").Lock(t.Context(), file, "me"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, who string
		twice     bool
	}{{"there", "me", true}, {"here", "me", false}, {"there", "meanwhile another", false}, {"there", "m*", false}} {
		h, waited := hurried(t, c.name, "")
		err := h.Lock(t.Context(), file, c.who)
		var twice *TwiceError
		if errors.As(err, &twice) != c.twice || c.twice && *twice != (TwiceError{"there", "here"}) {
			t.Errorf("%+v: %v", c, err)
		}
		if waited() == c.twice || !c.twice && !errors.As(err, new(*InUseError)) {
			t.Errorf("%+v is waited for: %v; %v", c, waited(), err)
		}
	}
}
