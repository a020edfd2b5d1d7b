package outfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weir/internal/testenv"
)

const sudoes, other = 4242, 4243

// home makes folders that anybody may pass through: of root, of the user that calls sudo, and
// of another one.
func home(t *testing.T) string {
	t.Helper()
	testenv.NeedRoot(t)
	t.Setenv("SUDO_UID", fmt.Sprint(sudoes))
	t.Setenv("SUDO_GID", fmt.Sprint(sudoes))
	top := t.TempDir()
	if err := os.Chmod(filepath.Dir(top), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, uid := range map[string]int{"root": 0, "user": sudoes, "other": other} {
		made(t, filepath.Join(top, name), uid, 0o755|fs.ModeDir)
	}
	return top
}

// made makes a folder, or a file, of a user.
func made(t *testing.T, path string, uid int, mode fs.FileMode) {
	t.Helper()
	err := os.WriteFile(path, nil, 0o600)
	if mode.IsDir() {
		os.Remove(path)
		err = os.Mkdir(path, 0o700)
	}
	for _, e := range []error{err, os.Chmod(path, mode), os.Lchown(path, uid, uid)} {
		if e != nil {
			t.Fatal(e)
		}
	}
}

// link makes a link of a user.
func link(t *testing.T, to, path string, uid int) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(path, uid, uid); err != nil {
		t.Fatal(err)
	}
}

// What weir makes in folders of the user that called sudo is made as that user, also where a
// link of theirs leads; elsewhere it is root's. It follows no link of anybody else.
func TestMadeAsTheCaller(t *testing.T) {
	top := home(t)
	in := func(parts ...string) string { return filepath.Join(append([]string{top}, parts...)...) }
	link(t, in("root"), in("user", "to root"), sudoes)
	link(t, in("root", "victim"), in("user", "dangling"), sudoes)
	link(t, in("user"), in("root", "to user"), 0)
	link(t, in("user", "to root"), in("root", "there and back"), 0)
	link(t, in("user", "mine"), in("user", "own"), sudoes)
	link(t, in("user", "nowhere"), in("user", "no folder"), sudoes)
	link(t, in("root"), in("other", "to root"), other)
	link(t, in("user", "x"), in("other", "dangling"), other)
	link(t, in("user", "loop"), in("user", "loop"), sudoes)
	for _, c := range []struct {
		path string
		uid  int    // of what is made; -1: nothing
		err  string // of all three ways
	}{
		{in("root", "a", "f"), 0, ""},
		{in("user", "a", "f"), sudoes, ""},
		{in("user") + "/../root/b/f", 0, ""},
		{in("root", "to user", "c", "f"), sudoes, ""},
		{in("other", "f"), 0, ""},
		{in("user", "to root", "f"), -1, "permission denied"},
		{in("user", "to root", "d", "f"), -1, "permission denied"},
		{in("root", "there and back", "f"), -1, "permission denied"},
		{in("user", "no folder", "f"), -1, "no such file"},
		{in("other", "to root", "f"), -1, "is a link of user 4243, which root does not follow"},
		{in("user", "loop", "f"), -1, "too many levels"},
	} {
		folder := filepath.Dir(c.path)
		err := MakeFolder(folder)
		if err == nil {
			err = Write(c.path, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err })
		}
		reserved := Reserve(c.path + ".db")
		for what, err := range map[string]error{"written": err, "reserved": reserved} {
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s, %s: %v, want %q", c.path, what, err, c.err)
			}
		}
		is, err := os.Stat(c.path)
		if owner := -1; err == nil {
			if owner = int(is.Sys().(*syscall.Stat_t).Uid); owner != c.uid {
				t.Errorf("%s is of user %d, want %d", c.path, owner, c.uid)
			}
		} else if c.uid >= 0 {
			t.Error(err)
		}
	}
	for path, want := range map[string]string{in("user", "dangling"): "permission denied", in("other", "dangling"): "is a link of user", in("user", "own"): ""} {
		if err := Reserve(path); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s reserved: %v, want %q", path, err, want)
		}
	}
	if left, err := filepath.Glob(in("root", "victim*")); err != nil || len(left) > 0 {
		t.Errorf("made as root: %v, %v", left, err)
	}
	if is, err := os.Stat(in("user", "mine")); err != nil || is.Sys().(*syscall.Stat_t).Uid != sudoes {
		t.Errorf("behind one's own link: %v, %v", is, err)
	}
}

// A store is trusted where nobody else could have written it, or put another one in its place.
func TestOnlyOurs(t *testing.T) {
	top := home(t)
	in := func(parts ...string) string { return filepath.Join(append([]string{top}, parts...)...) }
	for _, f := range []struct {
		path string
		uid  int
		mode fs.FileMode
	}{
		{in("root", "db"), 0, 0o644}, {in("user", "db"), sudoes, 0o644}, {in("root", "of user"), sudoes, 0o600},
		{in("root", "shared"), 0, 0o666}, {in("root", "of a group"), 0, 0o664}, {in("root", "of root's group"), 0, 0o664}, {in("root", "of other"), other, 0o644},
		{in("other", "of root"), 0, 0o644},
		{in("root", "open"), 0, fs.ModeDir | 0o777}, {in("root", "open", "db"), 0, 0o644}, {in("root", "open", "below"), 0, fs.ModeDir | 0o755}, {in("root", "open", "below", "db"), 0, 0o644},
		{in("root", "tmp"), 0, fs.ModeDir | fs.ModeSticky | 0o777}, {in("root", "tmp", "db"), 0, 0o644}, {in("root", "tmp", "below"), 0, fs.ModeDir | 0o755}, {in("root", "tmp", "below", "db"), 0, 0o644},
		{in("root", "tmp", "of other"), other, fs.ModeDir | 0o755}, {in("root", "tmp", "of other", "db"), 0, 0o644},
	} {
		made(t, f.path, f.uid, f.mode)
	}
	if err := os.Chown(in("root", "of a group"), 0, other); err != nil {
		t.Fatal(err)
	}
	link(t, in("root", "db"), in("root", "link"), 0)
	link(t, in("root", "shared"), in("root", "link to shared"), 0)
	link(t, in("root", "db"), in("root", "link of other"), other)
	link(t, in("other"), in("user", "way"), sudoes)
	for _, c := range []struct{ path, err string }{
		{in("root", "db"), ""}, {in("user", "db"), ""}, {in("root", "of root's group"), ""}, {in("root", "of user"), ""}, {in("root", "link"), ""}, {in("root", "not there"), ""}, {in("root", "tmp", "new", "db"), ""}, {in("root", "tmp", "below", "db"), ""},
		{in("root", "shared"), "others may write to " + in("root", "shared")}, {in("root", "of a group"), "others may write"}, {in("root", "of other"), "belongs to user 4243"},
		{in("other", "of root"), in("other") + " belongs to user 4243"}, {in("root", "open", "db"), "others may write to " + in("root", "open")}, {in("root", "open", "below", "db"), "others may write"},
		{in("root", "tmp", "not there"), "others may write to " + in("root", "tmp")}, {in("root", "open", "not there"), "others may write"}, {in("other", "not there"), "belongs to user 4243"},
		{in("root", "tmp", "db"), "others may write to " + in("root", "tmp")}, {in("root", "tmp", "of other", "db"), "belongs to user 4243"},
		{in("root", "link to shared"), "others may write"}, {in("root", "link of other"), "belongs to user 4243"}, {in("user", "way", "of root"), in("other") + " belongs to user 4243"},
	} {
		if err := OnlyOurs(c.path); (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.path, err, c.err)
		}
	}
}

// What is written lands in the folder that was looked at, whatever somebody puts in its place
// meanwhile.
func TestFolderChanged(t *testing.T) {
	top := home(t)
	in := func(parts ...string) string { return filepath.Join(append([]string{top}, parts...)...) }
	err := Write(in("other", "report"), func(w io.Writer) error {
		if err := os.Rename(in("other"), in("away")); err != nil {
			return err
		}
		link(t, in("root"), in("other"), other)
		_, err := io.WriteString(w, "x")
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for folder, want := range map[string]string{in("root"): "", in("away"): "report"} {
		all, err := os.ReadDir(folder)
		if got := fmt.Sprint(all); err != nil || want == "" && len(all) > 0 || want != "" && (len(all) != 1 || all[0].Name() != want) {
			t.Errorf("in %s is %v, want %q: %v", folder, got, want, err)
		}
	}
}

// Ordinary users have a root of their own in a namespace of users, to whom the folders above are
// of nobody.
func TestOnlyOursInNamespace(t *testing.T) {
	if folder := os.Getenv("WEIR_TEST_ONLY_OURS"); folder != "" {
		for name, want := range map[string]string{"db": "", "of other": "belongs to user 65534"} {
			if err := OnlyOurs(filepath.Join(folder, name)); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
		return
	}
	folder := filepath.Join(home(t), "user")
	made(t, filepath.Join(folder, "db"), sudoes, 0o600)
	made(t, filepath.Join(folder, "of other"), other, 0o644)
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "WEIR_TEST_ONLY_OURS="+folder)
	one := func() []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: sudoes, Size: 1}} }
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: one(), GidMappings: one(), Credential: &syscall.Credential{NoSetGroups: true}}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}
