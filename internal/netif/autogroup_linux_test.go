package netif

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// A process in no autogroup has an empty file, and then there is nothing to do.
func TestAutogroupIsRead(t *testing.T) {
	for text, want := range map[string]Autogroup{
		"":                        {},
		"\n":                      {},
		"/autogroup-12 nice 0\n":  {Name: "/autogroup-12"},
		"/autogroup-4 nice -20\n": {Name: "/autogroup-4", Nice: foremost},
	} {
		if got, err := parseAutogroup(text); err != nil || got != want {
			t.Errorf("%q is read as %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"autogroup", "/autogroup-1 nice much"} {
		if got, err := parseAutogroup(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// A session goes first until that is undone, by its own process or by another.
func TestSessionGoesFirst(t *testing.T) {
	testenv.NeedRoot(t)
	// Labs of tests of other packages are in the same session otherwise.
	if _, err := unix.Setsid(); err != nil && !errors.Is(err, unix.EPERM) { // it leads one already
		t.Fatal(err)
	}
	was, err := readAutogroup("self")
	if errors.Is(err, os.ErrNotExist) || err == nil && was.Name == "" {
		if got, err := OwnAutogroup(); err != nil || got != (Autogroup{}) {
			t.Errorf("without an autogroup there is %+v, %v", got, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer was.Restore()
	if err := writeAutogroup("self", 3); err != nil {
		t.Fatal(err)
	}
	before, err := OwnAutogroup()
	if err != nil || before != (Autogroup{was.Name, 3}) {
		t.Fatalf("was %+v, %v", before, err)
	}
	if err := before.Prefer(); err != nil {
		t.Fatal(err)
	}
	if is, err := OwnAutogroup(); err != nil || is.Name != was.Name || !is.Foremost() || before.Foremost() {
		t.Errorf("is %+v, %v; was %+v", is, err, before)
	}
	if err := before.Restore(); err != nil {
		t.Error(err)
	}
	if is, err := readAutogroup("self"); err != nil || is != before {
		t.Errorf("restored it is %+v, %v", is, err)
	}

	other := exec.Command("sleep", "infinity")
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer other.Process.Kill()
	pid := strconv.Itoa(other.Process.Pid)
	killed, err := readAutogroup(pid)
	if err != nil || killed.Name == was.Name {
		t.Fatalf("another session is in %+v, %v", killed, err)
	}
	killed.Nice = 5
	if err := killed.Restore(); err != nil {
		t.Error(err)
	}
	if is, err := readAutogroup(pid); err != nil || is != killed {
		t.Errorf("another session is %+v, %v; want %+v", is, err, killed)
	}
	if err := (Autogroup{Name: "/autogroup-0", Nice: 1}).Restore(); err != nil {
		t.Errorf("a session that has ended: %v", err)
	}
}
