package testbed

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// nobody runs a line of shell as a user without rights.
func nobody(t *testing.T, line string, args ...string) {
	t.Helper()
	other := exec.Command("sh", append([]string{"-ec", line}, args...)...)
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if said, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, said)
	}
}

// chosen has the next folders of files have these names, one after the other, in each root.
func chosen(t *testing.T, names ...string) {
	before := newFolder
	t.Cleanup(func() { newFolder = before })
	asked := 0
	newFolder = func(root string) string {
		asked++
		return root + "/weir-" + names[min((asked-1)/len(roots), len(names)-1)]
	}
}

// A user that makes a folder, a link or a file under the name of a lab's files before keeps no
// lab from being made, and what is there is the user's still after the lab is gone.
func TestFoldersThatOthersMake(t *testing.T) {
	testenv.NeedRoot(t)
	planted := []string{roots[weir.Memory] + "/weir-folder", roots[weir.Disk] + "/weir-link", roots[weir.Memory] + "/weir-file"}
	t.Cleanup(func() {
		for _, p := range planted {
			os.RemoveAll(p)
		}
	})
	nobody(t, `mkdir -p "$0/near/deep"; ln -s /etc "$1"; touch "$2"`, planted...)
	chosen(t, "folder", "link", "file", "free")
	lab := open(t, NetnsConfig{Ends: true})
	own := lab.folders
	if own[weir.Memory] != roots[weir.Memory]+"/weir-free" || own[weir.Disk] != roots[weir.Disk]+"/weir-free" {
		t.Errorf("the folders are %v", own)
	}
	labs, err := Labs()
	if err != nil || len(labs) != 1 || labs[0].Folders[weir.Memory] != own[weir.Memory] {
		t.Errorf("others see %+v, %v", labs, err)
	}
	if is, err := os.Stat(own[weir.Memory]); err != nil || is.Mode().Perm()&0o066 != 0 {
		t.Errorf("its folder: %v, %v", is, err)
	}
	if err := lab.Close(); err != nil {
		t.Error(err)
	}
	for _, folder := range own {
		if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", folder, err)
		}
	}
	// Who finds out the name in the entry of a killed process has nothing removed either.
	killed := Entry{ID: "killd", Folders: folders{weir.Memory: planted[0], weir.Disk: planted[1]}}
	if err := killed.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	for _, p := range append(planted, planted[0]+"/near/deep") {
		if _, err := os.Lstat(p); err != nil {
			t.Errorf("it is not there any more: %v", err)
		}
	}
}

// Where somebody takes each name before, that is said.
func TestFoldersThatOthersAlwaysMake(t *testing.T) {
	testenv.NeedRoot(t)
	planted := roots[weir.Memory] + "/weir-taken"
	nobody(t, `mkdir "$0"`, planted)
	t.Cleanup(func() { os.RemoveAll(planted) })
	chosen(t, "taken")
	if err := makeFolders(func(folders) error { return nil }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(roots[weir.Disk] + "/weir-taken"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder in the other root is left: %v", err)
	}
}

// A lab with files without an end, as whoever may write there makes them, keeps nobody waiting:
// it is closed to others, and whoever comes next goes on.
func TestFoldersThatTakeForEver(t *testing.T) {
	testenv.NeedRoot(t)
	wasLimit, wasRemoval, wasWarn := removalLimit, removeAll, warn
	t.Cleanup(func() { removalLimit, removeAll, warn = wasLimit, wasRemoval, wasWarn })
	told := ""
	warn = func(line string) { told += line }
	filled := make(chan struct{}) // until it ends
	removalLimit, removeAll = time.Millisecond, func(string) error { <-filled; return nil }
	lab := open(t, NetnsConfig{Ends: true})
	if err := lab.Close(); err != nil {
		t.Error(err)
	}
	close(filled)
	labs, err := Labs()
	if err != nil || len(labs) != 1 || labs[0].ID != lab.ID || labs[0].Running || len(labs[0].Spaces) > 0 {
		t.Fatalf("others see %+v, %v", labs, err)
	}
	if want := "the files of lab " + lab.ID; !strings.Contains(told, want) {
		t.Errorf("nobody is told %q: %s", want, told)
	}
	for _, folder := range labs[0].Folders {
		if is, err := os.Stat(folder); err != nil || is.Mode().Perm() != 0o700 {
			t.Errorf("%s is %v, %v", folder, is, err)
		}
	}
	removalLimit, removeAll = wasLimit, wasRemoval
	if err := Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	if left, err := Labs(); err != nil || len(left) > 0 {
		t.Errorf("left are %+v, %v", left, err)
	}
}
