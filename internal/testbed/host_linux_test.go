package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
	"weir/internal/testenv"
)

// A command is killed with what it has started, which nobody has to wait for.
func TestRunCancelled(t *testing.T) {
	h := place(t)
	file := filepath.Join(t.TempDir(), "child")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("it took too long")
	go func() {
		for ctx.Err() == nil {
			if text, _ := os.ReadFile(file); strings.HasSuffix(string(text), "\n") {
				cancel(why)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := h.Run(ctx, "", "sh", "-c", "sleep 1000 & echo $! > "+file+"; wait")
	if !errors.Is(err, why) {
		t.Errorf("the error does not say why: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the child has ended", func() bool { return gone(t, child) })
}

// gone reports whether a process has ended, whether or not its parent knows.
func gone(t *testing.T, pid int) bool {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(stat), ") Z ")
}

// What a command leaves in the background does not keep it from ending, and is
// left alone.
func TestRunInBackground(t *testing.T) {
	h := place(t)
	said, err := h.Run(t.Context(), "", "sh", "-c", "sleep 1000 & echo $!")
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(said))
	if err != nil {
		t.Fatal(err)
	}
	if gone(t, child) {
		t.Error("it was ended")
	}
	if err := unix.Kill(child, unix.SIGKILL); err != nil {
		t.Error(err)
	}
}

// What is not on the PATH of a user is found where system tools lie, and a file that
// is not there is not made.
func TestMachine(t *testing.T) {
	testenv.NeedTool(t, "ip")
	for _, folder := range SystemFolders {
		if folder != "/usr/local/sbin" && folder != "/usr/sbin" && folder != "/sbin" {
			t.Errorf("%s is no folder of system tools", folder)
		}
	}
	t.Setenv("PATH", "/nonexistent")
	h := Machine("here", nil)
	if said, err := h.Run(t.Context(), "", "ip", "-V"); err != nil || !strings.Contains(said, "iproute2") {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := h.Run(t.Context(), "", "nosuchtool", "-V"); err == nil || !strings.HasPrefix(err.Error(), "nosuchtool -V: ") {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "new")
	if err := h.WriteFile(t.Context(), file, "1"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// What others have named is no command, where it is part of one.
func TestNamesAreNoCommands(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	h, dir := Machine("here", ns), t.TempDir()
	for i, name := range []string{"a;id>z", "b$(id>y)", "c`id>x`", "d'id>w'", `e"|id>v`, "f&id>u", "g[!x]*"} {
		peer, address := fmt.Sprintf("peer%d", i), fmt.Sprintf("10.9.%d.1/24", i)
		for _, argv := range [][]string{
			{"ip", "link", "add", name, "type", "veth", "peer", "name", peer},
			{"ip", "link", "set", "dev", peer, "up"}, {"ip", "link", "set", "dev", name, "up"},
			{"ip", "address", "add", address, "dev", name},
			{"ip", "route", "add", "192.0.2.0/24", "dev", name, "table", fmt.Sprint(100 + i)},
			{"ip", "neighbor", "add", fmt.Sprintf("10.9.%d.2", i), "lladdr", "02:00:00:00:00:01", "nud", "permanent", "dev", name},
		} {
			if text, err := h.Run(t.Context(), "", argv...); err != nil {
				t.Fatal(argv, text, err)
			}
		}
		var again, settled string
		if err := ns.Do(func() (err error) {
			again, err = netif.Forgotten(t.Context(), h, name)
			settled = netif.Settled([]string{name})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if text, err := h.Run(t.Context(), "", "ip", "address", "flush", "dev", name); err != nil {
			t.Fatal(text, err)
		}
		for _, script := range []string{again, settled} {
			if text, err := h.Run(t.Context(), "", "sh", "-c", `cd "$0" && eval "$1"`, dir, script); err != nil {
				t.Errorf("%s: %v, %s", script, err, text)
			}
		}
		if text, err := h.Run(t.Context(), "", "ip", "-4", "address", "show", "dev", name); err != nil || !strings.Contains(text, address) {
			t.Errorf("%s has its address no more: %v, %s", name, err, text)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("names were commands: %v, %v", left, err)
	}
}
