package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir/internal/settings"
	"weir/internal/testenv"
)

// local is a shell of this machine; first is what it says before it takes commands.
func local(first string) func(context.Context) (Stream, error) {
	return func(context.Context) (Stream, error) {
		cmd := exec.Command("sh", "-c", first+"\nexec sh")
		in, err := cmd.StdinPipe()
		if err != nil {
			return Stream{}, err
		}
		out, farOut, _ := os.Pipe()
		errs, farErr, _ := os.Pipe()
		cmd.Stdout, cmd.Stderr = farOut, farErr
		if err := cmd.Start(); err != nil {
			return Stream{}, err
		}
		farOut.Close()
		farErr.Close()
		var once sync.Once
		return Stream{In: in, Out: out, Err: errs, Ended: func() error { return io.ErrClosedPipe }, Close: func() error {
			once.Do(func() {
				in.Close()
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				out.Close()
				errs.Close()
			})
			return nil
		}}, nil
	}
}

func opened(t *testing.T, first string) *Host {
	t.Helper()
	h, err := New(t.Context(), "here", local(first))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// Of a command that says too much that is what one reads, and not that its connection ended.
func TestRunThatSaysTooMuch(t *testing.T) {
	h := opened(t, "")
	if _, err := h.Run(t.Context(), "", "head", "-c", "70000000", "/dev/zero"); err == nil || !strings.Contains(err.Error(), errMuch.Error()) {
		t.Errorf("%v; want %v", err, errMuch)
	}
}

// What a command says comes as it is, whatever is in it, with its end and what a login
// has printed before.
func TestRun(t *testing.T) {
	h := opened(t, "echo Welcome; echo 'no mail' >&2; PS1='$ '; set -u")
	for _, c := range []struct {
		stdin string
		argv  []string
		want  string
		err   string
	}{
		{"", []string{"echo", "a b", "'c'", `"$d"`, "`e`", "\\f"}, "a b 'c' \"$d\" `e` \\f\n", ""},
		{"", []string{"printf", "%s", "no end"}, "no end", ""},
		{"", []string{"true"}, "", ""},
		{"", []string{"printf", `\n\n`}, "\n\n", ""},
		{"", []string{"cat"}, "", ""},
		{"in %s \\n 'q'\nlast", []string{"cat"}, "in %s \\n 'q'\nlast", ""},
		{"", []string{"sh", "-c", "echo out; echo bad >&2; exit 3"}, "out\n", "exit status 3: bad"},
		{"", []string{"no-such-program"}, "", "no-such-program"},
		{"", []string{"echo", "a\x00b"}, "", "octet of zeros"},
		{strings.Repeat("x", 3<<20), []string{"wc", "-c"}, "3145728\n", ""},
		{"", []string{"sh", "-c", "exit 0"}, "", ""},
	} {
		got, err := h.Run(t.Context(), c.stdin, c.argv...)
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) || got != c.want && strings.TrimSpace(got) != strings.TrimSpace(c.want) {
			t.Errorf("%.40q: %q, %v; want %q, %q", c.argv, got, err, c.want, c.err)
		}
	}
}

// Files are read and written as they are; one that is not there is known as such.
func TestFiles(t *testing.T) {
	h := opened(t, "")
	folder := t.TempDir()
	a, b, none := filepath.Join(folder, "a: x"), filepath.Join(folder, "a"), filepath.Join(folder, "none")
	for _, path := range []string{a, b} {
		if err := os.WriteFile(path, []byte("old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.WriteFile(t.Context(), a, "1: one\n\ntwo"); err != nil {
		t.Error(err)
	}
	if text, err := h.ReadFile(t.Context(), a); text != "1: one\n\ntwo" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := h.ReadFile(t.Context(), none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading what is not there: %v", err)
	}
	if err := h.WriteFile(t.Context(), none, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("writing what is not there: %v", err)
	}
	if _, err := h.ReadFile(t.Context(), folder); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading a folder: %v", err)
	}
	many, err := h.ReadFiles(t.Context(), []string{b, none, a})
	if diff := cmp.Diff(map[string]string{a: "1: one\n\ntwo\n", b: "old\n"}, many); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// A command that hangs is killed after its limit though nobody may interrupt it, and the
// shell goes on: what the command may have done is undone.
func TestHung(t *testing.T) {
	h := opened(t, "")
	mark := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(mark, nil, 0o600); err != nil { // as the command may have
		t.Fatal(err)
	}
	var u settings.Undo
	err := u.Do(t.Context(), h,
		settings.Command{Argv: []string{"sh", "-c", "sleep 1d"}, Limit: time.Second},
		settings.Command{Argv: []string{"rm", mark}})
	if err == nil || !strings.Contains(err.Error(), "here: sh -c") || !strings.Contains(err.Error(), "had not ended after 1s and was killed") {
		t.Errorf("hung: %v", err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
	if err := u.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("not undone: %v", err)
	}
}

// A command that is no longer wanted is killed with what it has started, and the shell
// goes on.
func TestCancel(t *testing.T) {
	h := opened(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := filepath.Join(t.TempDir(), "began")
	word := fmt.Sprintf("0.%d", time.Now().UnixNano()) // that its processes are known by
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(began); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	// The one that is to be killed is about to start others.
	_, err := h.Run(ctx, "", "sh", "-c", "for i in 1 2 3 4 5 6; do sleep 1d "+word+" & echo > "+began+"; done; sleep 1d "+word)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if out, err := h.Run(t.Context(), "", "echo", "on"); out != "on\n" || err != nil {
		t.Errorf("after that %q, %v", out, err)
	}
	testenv.Await(t, "what the command had started ends", func() bool {
		all, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil || len(all) == 0 {
			t.Fatal("there is no process", err)
		}
		return !slices.ContainsFunc(all, func(path string) bool {
			argv, err := os.ReadFile(path)
			return err == nil && strings.Contains(string(argv), word)
		})
	})
}

// A shell that has ended is opened anew by the next command, and the one that was under
// way says so.
func TestLost(t *testing.T) {
	h := opened(t, "")
	if _, err := h.Run(t.Context(), "", "sh", "-c", "kill -9 $PPID; sleep 1"); err == nil {
		t.Error("no error of a shell that was killed")
	}
	if out, err := h.Run(t.Context(), "", "echo", "again"); out != "again\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

// What is no shell is known as that.
func TestNoShell(t *testing.T) {
	_, err := New(t.Context(), "here", local("echo 'This account is not available.'; exit 1"))
	if err == nil || !strings.Contains(err.Error(), "not available") {
		t.Error(err)
	}
}

// A host that is gone when weir is ending is waited for once, and not for long.
func TestGoneWhileEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h, err := New(ctx, "here", func(context.Context) (Stream, error) { return Stream{}, errors.New("it does not answer") })
		if err == nil {
			t.Error("it does not answer, and that is no error")
		}
		cancel()
		began := time.Now()
		for range 5 { // as undoing goes on with the next change
			if _, err := h.ReadFile(t.Context(), "/etc/passwd"); err == nil || !strings.Contains(err.Error(), "here") {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != endingWait {
			t.Errorf("it was waited for %v, want %v", took, endingWait)
		}
	})
}

// Input that is longer than the kernel lets a word be comes as it is, also where printf is
// no part of the shell.
func TestLongInput(t *testing.T) {
	for _, first := range []string{"", "exec bash --noprofile"} {
		h := opened(t, first)
		if first != "" {
			if s, err := h.commands.turn(t.Context(), request{line: "enable -n printf && ! command -V printf | grep builtin"}); err != nil || s.status != 0 {
				t.Fatal(s, err)
			}
		}
		in := strings.Repeat("ä 'b' 100%\n", 100_000)
		if out, err := h.Run(t.Context(), in, "cat"); out != in || err != nil {
			t.Errorf("%q: %d octets of %d, %v", first, len(out), len(in), err)
		}
	}
}
