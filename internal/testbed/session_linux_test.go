package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/locks"
	"weir/internal/netif"
	"weir/internal/testenv"
)

// ownSession is that of the test, with a niceness of 3 as long as it lasts; none
// where this process is in none.
func ownSession(t *testing.T) (before netif.Autogroup, some bool) {
	t.Helper()
	testenv.NeedRoot(t)
	t.Setenv(goesFirst, "")
	// Labs of tests of other packages are in the same session otherwise.
	if _, err := unix.Setsid(); err != nil && !errors.Is(err, unix.EPERM) { // it leads one already
		t.Fatal(err)
	}
	was, err := netif.OwnAutogroup()
	if err != nil {
		t.Fatal(err)
	}
	if was.Name == "" {
		t.Log("without autogroups there is nothing to restore")
		return was, false
	}
	t.Cleanup(func() {
		if err := was.Restore(); err != nil {
			t.Error(err)
		}
	})
	before = netif.Autogroup{Name: was.Name, Nice: 3}
	if err := before.Restore(); err != nil {
		t.Fatal(err)
	}
	return before, true
}

func sessionIs(t *testing.T, when string, want netif.Autogroup) {
	t.Helper()
	if is, err := netif.OwnAutogroup(); err != nil || is != want {
		t.Errorf("%s the session is %+v, %v; want %+v", when, is, err, want)
	}
}

// Of two labs in one session the one that ends last restores the session,
// whichever began first.
func TestTheLastLabRestoresTheSession(t *testing.T) {
	before, some := ownSession(t)
	if !some {
		return
	}
	foremost := netif.Autogroup{Name: before.Name, Nice: -20}
	for _, first := range []int{0, 1} {
		labs := []*Netns{open(t, NetnsConfig{}), nil}
		t.Setenv("WEIR_RUN", RunDir())
		var err error
		if labs[1], err = OpenNetns(t.Context(), NetnsConfig{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { labs[1].Close() })
		sessionIs(t, "in two labs", foremost)
		if err := labs[first].Close(); err != nil {
			t.Error(err)
		}
		sessionIs(t, "in the other lab", foremost)
		if err := labs[1-first].Close(); err != nil {
			t.Error(err)
		}
		sessionIs(t, "after both labs", before)
	}
}

// The session goes first before there is anything of a lab: on a machine that others fill it
// would take minutes to make one.
func TestSessionGoesFirstWhileALabIsMade(t *testing.T) {
	before, some := ownSession(t)
	if !some {
		return
	}
	asked, as := 0, newFolder
	t.Cleanup(func() { newFolder = as })
	newFolder = func(root string) string {
		asked++
		sessionIs(t, "while it is made", netif.Autogroup{Name: before.Name, Nice: -20})
		return as(root)
	}
	lab := open(t, NetnsConfig{Ends: true})
	if asked == 0 {
		t.Error("nobody looked")
	}
	if err := lab.Close(); err != nil {
		t.Error(err)
	}
	sessionIs(t, "after it", before)
}

// What a killed process left of its session is restored by whoever clears its
// lab away, but not while another lab of the session is measured: that one does
// it in the end.
func TestSessionOfAKilledProcess(t *testing.T) {
	before, some := ownSession(t)
	if !some {
		return
	}
	t.Setenv("WEIR_RUN", t.TempDir())
	foremost := netif.Autogroup{Name: before.Name, Nice: -20}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	killed := Entry{ID: "killd", PID: ended.Process.Pid, Made: time.Now(), Session: before}
	leave := func() {
		t.Helper()
		if err := before.Prefer(); err != nil {
			t.Fatal(err)
		}
		if err := killed.write(); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if err := Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	sessionIs(t, "after what was killed is cleared away", before)

	leave()
	lab, err := OpenNetns(t.Context(), NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	if gone, err := Down(t.Context(), "", true); err != nil || len(gone) != 1 {
		t.Errorf("cleared away %v, %v", gone, err)
	}
	sessionIs(t, "in the lab beside what was killed", foremost)
	if err := lab.Close(); err != nil {
		t.Error(err)
	}
	sessionIs(t, "after both", before)

	// A session that goes first without a lab is its user's.
	if err := before.Prefer(); err != nil {
		t.Fatal(err)
	}
	if lab, err = OpenNetns(t.Context(), NetnsConfig{}); err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	if err := lab.Close(); err != nil {
		t.Error(err)
	}
	sessionIs(t, "that its user lets go first", foremost)
}

// One at a time has the lock, also where the folder is removed meanwhile.
func TestLockOfTheRegistry(t *testing.T) {
	t.Setenv("WEIR_RUN", t.TempDir()+"/labs")
	var group sync.WaitGroup
	var held atomic.Int32
	for range 8 {
		group.Go(func() {
			for range 50 {
				unlock, err := lockRegistry(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if n := held.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				held.Add(-1)
				os.Remove(RunDir())
				unlock()
			}
		})
	}
	group.Wait()
}

// Who waits for the lock goes away when it is told to, and says after its limit who has it.
func TestLockThatIsHeld(t *testing.T) {
	t.Setenv("WEIR_RUN", t.TempDir())
	unlock, err := lockRegistry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("told to"))
	defer cancel()
	if _, err := lockRegistry(ctx); err == nil || !strings.Contains(err.Error(), "told to") {
		t.Errorf("told to go: %v", err)
	}
	if _, err := OpenNetns(ctx, NetnsConfig{}); err == nil || !strings.Contains(err.Error(), "told to") {
		t.Errorf("a lab is made, and told to go: %v", err)
	}
	dir, err := os.Open(filepath.Join(RunDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	who := fmt.Sprintf("process %d has had it for 50ms", os.Getpid())
	if err := locks.Wait(t.Context(), dir, 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), who) {
		t.Errorf("after its limit: %v; want %q", err, who)
	}
}

// A folder that cannot be made is an error, and no endless wait.
func TestLockWithoutARegistry(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(dir+"/nowhere", dir+"/labs"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEIR_RUN", dir+"/labs")
	unlock, err := lockRegistry(t.Context())
	unlock()
	if err == nil {
		t.Error("locked")
	}
}

// What was killed while it made its lab, or wrote its entry, is cleared away with
// what it had made.
func TestSweepOfBeginnings(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", filepath.Join(t.TempDir(), "run"))
	lab := &Netns{ID: newID()}
	if err := lab.enrol(t.Context()); err != nil {
		t.Fatal(err)
	}
	labs, err := Labs()
	if err != nil || len(labs) != 1 || !labs[0].Running {
		t.Fatalf("%+v, %v", labs, err)
	}
	killed := labs[0]
	if err := makeFolders(func(f folders) error {
		killed.Folders = f
		return killed.renew(t.Context())
	}); err != nil {
		t.Fatal(err)
	}
	folder := killed.Folders[weir.Memory]
	defer os.Remove(folder)
	lab.release()
	half := entryFile("other") + unfinished
	if err := errors.Join(killed.write(), os.WriteFile(half, []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, half, entryFile(lab.ID), RunDir()} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}

// A session that is to keep its share of the CPUs has it while a lab is measured.
func TestSessionKeepsItsShare(t *testing.T) {
	before, some := ownSession(t)
	if !some {
		return
	}
	t.Setenv(goesFirst, "no")
	lab := open(t, NetnsConfig{})
	sessionIs(t, "in a lab", before)
	if err := lab.Close(); err != nil {
		t.Error(err)
	}
	sessionIs(t, "after it", before)
}
