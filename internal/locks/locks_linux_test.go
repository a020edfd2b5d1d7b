package locks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// opened is a file that nobody has locked.
func opened(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Who waits says so once, for whom and for how long, and gives up after the limit.
func TestWaitSaysForWhom(t *testing.T) {
	var lines []string
	before := warn
	warn = func(line string) { lines = append(lines, line) }
	t.Cleanup(func() { warn = before })
	path := filepath.Join(t.TempDir(), "lock")
	first, second := opened(t, path), opened(t, path)
	own := fmt.Sprintf("process %d", os.Getpid())
	synctest.Test(t, func(t *testing.T) {
		if err := Wait(t.Context(), first, time.Minute); err != nil || len(lines) > 0 {
			t.Fatal(err, lines)
		}
		if err := Wait(t.Context(), second, quiet); err == nil || len(lines) > 0 {
			t.Errorf("within the time without a word: %v, %q", err, lines)
		}
		began := time.Now()
		err := Wait(t.Context(), second, time.Minute)
		if err == nil || !strings.Contains(err.Error(), own+" has had it for 1m0s") || time.Since(began) > time.Minute+time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if len(lines) != 1 || !strings.Contains(lines[0], "waiting, for 1m0s at most, for "+own+", which has "+path) {
			t.Errorf("it says %q", lines)
		}
		first.Close()
		if err := Wait(t.Context(), second, time.Minute); err != nil {
			t.Errorf("when it is free: %v", err)
		}
	})
}

// A wait ends with its context, with the cause of that.
func TestWaitEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := opened(t, path), opened(t, path)
	synctest.Test(t, func(t *testing.T) {
		if err := Wait(t.Context(), first, time.Minute); err != nil {
			t.Fatal(err)
		}
		why := errors.New("told to")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		if err := Wait(ctx, second, time.Minute); !errors.Is(err, why) {
			t.Error(err)
		}
	})
}

// A file is its owner's until that releases it, and then is not there; one that nobody has is
// cleared away, and no other one.
func TestClaim(t *testing.T) {
	folder := t.TempDir()
	file, dead := filepath.Join(folder, "claimed"), filepath.Join(folder, "dead")
	nothing := func() error { return nil }
	release, err := Claim(file, nothing)
	if err != nil {
		t.Fatal(err)
	}
	var taken *TakenError
	if _, err := Claim(file, nothing); !errors.As(err, &taken) || taken.By != fmt.Sprintf("process %d", os.Getpid()) {
		t.Errorf("claimed twice: %v", err)
	}
	opened(t, dead)
	if err := Clear(folder); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]bool{file: true, dead: false} {
		is, err := Taken(path)
		_, gone := os.Stat(path)
		if is != want || err != nil || (gone == nil) != want {
			t.Errorf("%s: taken %v, %v, %v", path, is, err, gone)
		}
	}
	release()
	if is, err := Taken(file); is || err != nil {
		t.Errorf("released: taken %v, %v", is, err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("released, it is left: %v", err)
	}
	why := errors.New("no folder")
	if _, err := Claim(file, func() error { return why }); !errors.Is(err, why) {
		t.Error(err)
	}
}
