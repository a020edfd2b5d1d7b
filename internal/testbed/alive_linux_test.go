package testbed

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// A thing has an owner until that releases it, however many hold others at once, and clear
// away what is dead meanwhile; nothing is left of all that.
func TestLives(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", filepath.Join(t.TempDir(), "run"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				name := newID() + newID()
				release, err := hold(name)
				if err != nil {
					t.Error(err)
					return
				}
				if err := clearDead(); err != nil {
					t.Error(err)
				}
				if is, err := lives(name); !is || err != nil {
					t.Errorf("held, it lives: %v, %v", is, err)
				}
				release()
				if is, err := lives(name); is || err != nil {
					t.Errorf("released, it lives: %v, %v", is, err)
				}
			}
		})
	}
	all.Wait()
	leaveRunDir() // which one that was at work as the last others left did not
	if _, err := os.Stat(RunDir()); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

// What is not known to be dead may live.
func TestLivesWhereItCannotBeAsked(t *testing.T) {
	t.Setenv("WEIR_RUN", t.TempDir())
	if err := os.WriteFile(aliveDir(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if is, err := lives("it"); !is || err == nil {
		t.Errorf("it lives: %v, %v", is, err)
	}
	if err := os.WriteFile(entryFile("it"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if labs, err := Labs(); err == nil {
		t.Errorf("there are the labs %v", labs)
	}
}

// The folder is root's: who else may write to it is not obeyed, and nobody else can lock it,
// or see what is in it.
func TestFolderOfOthers(t *testing.T) {
	testenv.NeedRoot(t)
	above := t.TempDir()
	if err := os.Chmod(filepath.Dir(above), 0o755); err != nil { // which the other user is to pass
		t.Fatal(err)
	}
	dir := filepath.Join(above, "run")
	t.Setenv("WEIR_RUN", dir)
	opens := func() error {
		other := exec.Command("sh", "-c", `ls "$0" && exec 9<"$0"`, dir)
		other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		return other.Run()
	}
	for _, c := range []struct {
		mode  os.FileMode
		owner int
		want  string
	}{
		{0, 0, ""}, {0o755, 0, ""}, {0o700, 0, ""}, {0o711, 0, ""}, // 0: it is made
		{0o777, 0, "others may write to " + dir}, {0o770, 0, "others may write to " + dir},
		{0o700, 65534, dir + " belongs to user 65534"},
	} {
		if c.mode != 0 {
			for _, err := range []error{os.Mkdir(dir, 0o700), os.Chmod(dir, c.mode), os.Chown(dir, c.owner, c.owner)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			folder, err := os.Open(dir) // who may read it locks it, which keeps nobody waiting
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			if err := unix.Flock(int(folder.Fd()), unix.LOCK_SH); err != nil {
				t.Fatal(err)
			}
			if err := opens(); (err == nil) != (c.mode&5 == 5 || c.owner != 0) {
				t.Errorf("%v of user %d: the other user opens it: %v", c.mode, c.owner, err)
			}
		}
		limited, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		unlock, err := lockRegistry(limited)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of user %d: %v, want %q", c.mode, c.owner, err, c.want)
		}
		if c.mode == 0 && opens() == nil {
			t.Error("the other user opens what weir has made")
		}
		unlock()
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// Who may rename a folder on the way to it puts another one in its place: it is refused, however
// it is itself. In a folder for all, such as /tmp, users rename what is theirs alone.
func TestFolderBelowOthers(t *testing.T) {
	testenv.NeedRoot(t)
	for _, c := range []struct {
		mode  os.FileMode
		owner int
		want  string
	}{
		{0o755, 0, ""}, {0o777 | os.ModeSticky, 0, ""},
		{0o777, 0, "others may write to"}, {0o755, 65534, "belongs to user 65534"}, {0o777 | os.ModeSticky, 65534, "belongs to user 65534"},
	} {
		middle := filepath.Join(t.TempDir(), "middle")
		for _, err := range []error{os.MkdirAll(middle+"/between", 0o755), os.Chmod(middle, c.mode), os.Chown(middle, c.owner, c.owner)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("WEIR_RUN", middle+"/between/run")
		unlock, err := lockRegistry(t.Context())
		unlock()
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("below %v of user %d: %v, want %q", c.mode, c.owner, err, c.want)
		}
	}
}
