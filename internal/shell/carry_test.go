package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// cargo is a program that says a version.
func cargo(t *testing.T, says string) Cargo {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weir")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return Cargo{File: file, OS: runtime.GOOS, Arch: runtime.GOARCH, Proof: []string{"version"}, Is: "weir 0.1.0 "}
}

// gone waits until a file is not there any more.
func gone(t *testing.T, path string) {
	t.Helper()
	testenv.Await(t, path+" goes", func() bool {
		_, err := os.Stat(path)
		return os.IsNotExist(err)
	})
}

// A program that is carried runs there, and goes when it is removed, when the host is
// closed and when the connection is lost.
func TestCarry(t *testing.T) {
	c := cargo(t, "weir 0.1.0 (here)")
	for name, end := range map[string]func(h *Host, remove func() error) error{
		"removed": func(_ *Host, remove func() error) error { return remove() },
		"closed":  func(h *Host, _ func() error) error { return h.Close() },
		"lost": func(h *Host, _ func() error) error {
			h.programs.mu.Lock()
			first := h.programs.all[0] // that holds the folder
			h.programs.mu.Unlock()
			return first.stream.Close()
		},
	} {
		h := opened(t, "")
		path, remove, err := h.Carry(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if said, err := h.Run(t.Context(), "", path); said != "weir 0.1.0 (here)\n" || err != nil {
			t.Errorf("%q, %v", said, err)
		}
		if err := end(h, remove); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		gone(t, filepath.Dir(path))
	}
}

// A program that is carried once stays the one that is carried, whatever is installed meanwhile;
// the first time it is read where From says. Packages have those for other systems in ../lib/weir.
func TestCarryWhatItBeganWith(t *testing.T) {
	h := opened(t, "")
	says := func(c Cargo) string {
		t.Helper()
		path, remove, err := h.Carry(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		said, err := h.Run(t.Context(), "", path)
		if err := errors.Join(err, remove()); err != nil {
			t.Error(err)
		}
		return said
	}
	c, newer := cargo(t, "weir 0.1.0 (began)"), cargo(t, "weir 0.1.0 (newer)")
	c.From, c.File = c.File, newer.File
	for _, change := range []func() error{
		func() error { return nil },
		func() error { return os.Rename(newer.File, c.From) },
		func() error { return os.Remove(c.From) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if said := says(c); said != "weir 0.1.0 (began)\n" {
			t.Errorf("%q", said)
		}
	}
	packaged := cargo(t, "weir 0.1.0 (packaged)")
	lib := filepath.Join(filepath.Dir(packaged.File), "lib/weir")
	name := filepath.Join(lib, "weir-"+runtime.GOOS+"-"+runtime.GOARCH)
	if err := errors.Join(os.MkdirAll(lib, 0o755), os.Rename(packaged.File, name)); err != nil {
		t.Fatal(err)
	}
	packaged.File, packaged.OS = filepath.Join(filepath.Dir(packaged.File), "bin/weir"), ""
	if said := says(packaged); said != "weir 0.1.0 (packaged)\n" {
		t.Errorf("%q", said)
	}
}

// Where there is no sha256sum, what FreeBSD and OpenBSD have says the checksum, or what macOS
// has, and else what NetBSD has: in their words as their manuals have them, by programs of this machine.
func TestCarryWithOtherSums(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"sh", "cat", "chmod", "uname", "df", "awk", "mktemp", "rm", "cut", "ls"} {
		if err := os.Symlink(lookPath(t, name), filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	sum := lookPath(t, "sha256sum")
	c := cargo(t, "weir 0.1.0 (here)")
	carried := func() error {
		h, err := New(t.Context(), "here", local("PATH="+tools))
		if err != nil {
			t.Fatal(err)
		}
		path, _, err := h.Carry(t.Context(), c)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if err == nil {
			gone(t, filepath.Dir(path)) // by the tools, which go with the test
		}
		return err
	}
	if err := carried(); err == nil || !strings.Contains(err.Error(), "checksum") && !strings.Contains(err.Error(), "cksum") {
		t.Errorf("without such a program: %v", err)
	}
	for name, text := range map[string]string{
		"cksum":  `[ "$1 $2" = "-a sha256" ] && echo "SHA256 ($3) = $(` + sum + ` "$3" | cut -d' ' -f1)"`,
		"shasum": `[ "$1 $2" = "-a 256" ] && ` + sum + ` "$3"`,
		"sha256": `echo "SHA256 ($1) = $(` + sum + ` "$1" | cut -d' ' -f1)"`,
	} {
		program := filepath.Join(tools, name)
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := carried(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(program); err != nil {
			t.Fatal(err)
		}
	}
}

// A host whose df(1) or mktemp(1) hangs holds nobody past the limit.
func TestCarryWhereItHangs(t *testing.T) {
	c := cargo(t, "weir 0.1.0 (here)")
	for _, name := range []string{"df", "mktemp"} {
		tools := t.TempDir()
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\nexec cat\n"), 0o755); err != nil { // until its input ends
			t.Fatal(err)
		}
		h, err := New(t.Context(), "here", local("PATH="+tools+":$PATH"))
		if err != nil {
			t.Fatal(err)
		}
		limit := errors.New("it took too long")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, limit)
		if _, _, err := h.Carry(ctx, c); !errors.Is(err, limit) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What should say a checksum, and never ends to speak, fills nobody's memory.
func TestCarryWhereItSpeaksForEver(t *testing.T) {
	c := cargo(t, "weir 0.1.0 (here)")
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "sha256sum"), []byte("#!/bin/sh\nwhile :; do echo 0123456789abcdef; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := New(t.Context(), "here", local("PATH="+tools+":$PATH"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Carry(t.Context(), c); err == nil || !strings.Contains(err.Error(), "says more than 8192 octets") {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// What cannot be carried leaves nothing, and the error says what to do.
// A folder in which no program may run is passed over, and NetBSD's name for all machines of
// Arm's is not one of Go's.
func TestCarryElsewhere(t *testing.T) {
	tools := t.TempDir()
	for name, text := range map[string]string{
		"chmod": `case $2 in /tmp/*) exit 0 ;; *) exec ` + lookPath(t, "chmod") + ` "$@" ;; esac`, // as if /tmp were mounted so
		"uname": `case $1 in -sm) echo "${SYSTEM:-$(` + lookPath(t, "uname") + ` -sm)}" ;; -p) echo aarch64 ;; esac`,
	} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := cargo(t, "weir 0.1.0 (here)")
	path, remove, err := opened(t, "PATH="+tools+":$PATH").Carry(t.Context(), c)
	if err != nil || !strings.HasPrefix(path, "/var/tmp/") || remove() != nil {
		t.Errorf("no program may run in /tmp: %s, %v", path, err)
	}
	c.OS = ""
	_, _, err = opened(t, "PATH="+tools+":$PATH; export SYSTEM='NetBSD evbarm'").Carry(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "AGENTS=netbsd/arm64") {
		t.Errorf("of NetBSD on Arm: %v", err)
	}
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// awaitGone waits until the folders are gone that were not there before. Those of another run
// of this test go with it.
func awaitGone(t *testing.T, before []string) {
	t.Helper()
	left, _ := filepath.Glob("/tmp/weir.*")
	for {
		left = slices.DeleteFunc(left, func(path string) bool {
			_, err := os.Lstat(path)
			return err != nil || slices.Contains(before, path)
		})
		if len(left) == 0 {
			return
		}
		t.Logf("waiting for %q to go", left)
		time.Sleep(100 * time.Millisecond)
	}
}

func TestCannotCarry(t *testing.T) {
	h := opened(t, "")
	before, _ := filepath.Glob("/tmp/weir.*")
	other := cargo(t, "weir 0.0.9 (old)")
	if _, _, err := h.Carry(t.Context(), other); err == nil || !strings.Contains(err.Error(), `"weir 0.0.9 (old)"`) {
		t.Errorf("another version: %v", err)
	}
	arch := cargo(t, "weir 0.1.0 (here)")
	arch.Arch = "other"
	beside := arch.File + "-" + runtime.GOOS + "-" + runtime.GOARCH
	want := "put that into " + filepath.Dir(beside) + ", as " + filepath.Base(beside)
	if _, _, err := h.Carry(t.Context(), arch); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("another architecture: %v; want %s", err, want)
	}
	arch.OS = ""
	if _, _, err := h.Carry(t.Context(), arch); err == nil || !strings.Contains(err.Error(), "make agents builds it") {
		t.Errorf("none for this architecture: %v", err)
	}
	if err := os.Rename(arch.File, beside); err != nil {
		t.Fatal(err)
	}
	path, remove, err := h.Carry(t.Context(), arch)
	if err != nil || filepath.Base(path) != "weir" || remove() != nil {
		t.Errorf("the one beside it: %s, %v", path, err)
	}
	whole := Cargo{File: "/no/weir", OS: "other", Arch: runtime.GOARCH, Other: &arch}
	path, remove, err = h.Carry(t.Context(), whole)
	if err != nil || filepath.Base(path) != "weir" || remove() != nil {
		t.Errorf("what hosts of another system get: %s, %v", path, err)
	}
	if _, _, err := h.folder(t.Context(), 1<<60); err == nil || !strings.Contains(err.Error(), "make room there") || !strings.Contains(err.Error(), "KiB free") {
		t.Errorf("no room: %v", err)
	}
	if err := h.copy(t.Context(), strings.NewReader(strings.Repeat("x", 1<<20)), "/dev/full"); err == nil || !strings.Contains(err.Error(), "No space left") {
		t.Errorf("a disk that is full meanwhile: %v", err)
	}
	awaitGone(t, before)
	if _, err := h.Start(t.Context(), weir.Program{Argv: []string{"true"}}); err != nil {
		t.Errorf("after that: %v", err)
	}
}
