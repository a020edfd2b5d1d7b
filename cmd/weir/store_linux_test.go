package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// stranger is a user of the machine who is neither root nor has called sudo.
const stranger = 4242

// A place is a folder that all may pass through, with a plan in it.
type place struct {
	*testing.T
	folder, plan string
}

func newPlace(t *testing.T) place {
	t.Helper()
	testenv.NeedRoot(t)
	p := place{t, t.TempDir(), ""}
	p.plan = p.in("plan.yaml")
	for _, err := range []error{
		os.Chmod(p.folder, 0o755), os.Chmod(filepath.Dir(p.folder), 0o755),
		os.WriteFile(p.plan, []byte("testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [frmol]\n"), 0o644),
	} {
		p.check(err)
	}
	return p
}

func (p place) in(parts ...string) string {
	return filepath.Join(append([]string{p.folder}, parts...)...)
}

func (p place) check(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// of makes a folder, or a file, of a user.
func (p place) of(uid int, mode fs.FileMode, path string) {
	p.Helper()
	err := os.WriteFile(path, nil, 0o600)
	if mode.IsDir() {
		os.Remove(path)
		err = os.Mkdir(path, 0o700)
	}
	p.check(err)
	p.check(os.Chmod(path, mode))
	p.check(os.Chown(path, uid, uid))
}

func (p place) weir(args ...string) (int, string) {
	var text bytes.Buffer
	code := run(p.Context(), append(args, "--quiet"), nil, &text, &text)
	return code, text.String()
}

// Root records nothing where somebody else could write to the store, or hold its locks, and has
// made nothing there by then.
func TestRecordsInNoPlaceOfOthers(t *testing.T) {
	p := newPlace(t)
	p.of(0, fs.ModeDir|fs.ModeSticky|0o777, p.in("tmp"))
	p.of(stranger, fs.ModeDir|0o755, p.in("other"))
	p.of(stranger, 0o644, p.in("planted.db"))
	for _, suffix := range []string{"-wal", "-shm", "-journal", "-lock"} {
		p.of(0, 0o600, p.in("beside"+suffix+".db"))
		p.of(stranger, 0o600, p.in("beside"+suffix+".db"+suffix))
	}
	p.of(0, fs.ModeDir|0o755, p.in("reported"))
	p.of(stranger, fs.ModeDir|0o755, p.in("reported", "reports"))
	p.of(0, fs.ModeDir|0o755, p.in("a file"))
	p.of(0, 0o644, p.in("a file", "reports"))
	p.of(0, fs.ModeDir|0o755, p.in("linked"))
	p.check(os.Symlink(p.in("tmp"), p.in("linked", "reports")))
	p.check(os.Lchown(p.in("linked", "reports"), stranger, stranger))
	for store, want := range map[string]string{
		p.in("tmp", "s.db"):                "others may write to " + p.in("tmp"),
		p.in("other", "s.db"):              "belongs to user 4242",
		p.in("other", "new", "s.db"):       "belongs to user 4242",
		p.in("planted.db"):                 "belongs to user 4242",
		p.in("beside-wal.db"):              "-wal belongs to user 4242",
		p.in("beside-shm.db"):              "-shm belongs to user 4242",
		p.in("beside-journal.db"):          "-journal belongs to user 4242",
		p.in("beside-lock.db"):             "-lock belongs to user 4242",
		p.in("reported", "s.db"):           p.in("reported", "reports") + " belongs to user 4242",
		p.in("linked", "s.db"):             p.in("linked", "reports") + " belongs to user 4242",
		p.in("a file", "s.db"):             "not a directory",
		p.in("tmp", "of weir", "s.db"):     "",
		p.in("of weir", "and so", "on.db"): "",
	} {
		code, text := p.weir("run", "--store", store, p.plan)
		if want == "" {
			if code != exitOK {
				t.Errorf("%s: exit code %d: %s", store, code, text)
			}
			continue
		}
		if code != exitError || !strings.Contains(text, want) || !strings.Contains(text, "--store") || strings.Contains(text, "frames/s") {
			t.Errorf("%s: exit code %d, want %q and what to do:\n%s", store, code, want, text)
		}
	}
	for _, folder := range []string{p.in("tmp"), p.in("other"), p.in("reported", "reports")} {
		all, err := os.ReadDir(folder)
		if err != nil || len(all) > 1 || len(all) == 1 && all[0].Name() != "of weir" {
			t.Errorf("made in %s: %v, %v", folder, all, err)
		}
	}
}

// Root reads the store of somebody else, and changes nothing of it.
func TestReadsStoreOfOthers(t *testing.T) {
	p := newPlace(t)
	store := p.in("mine", "s.db")
	if code, text := p.weir("run", "--store", store, p.plan); code != exitOK {
		t.Fatal(text)
	}
	p.check(os.Chown(store, stranger, stranger))
	p.check(os.Chown(p.in("mine"), stranger, stranger))
	before, err := os.Stat(store)
	p.check(err)
	f, err := os.OpenFile(store, os.O_RDWR, 0) // whoever may write to it may lock it, too: that keeps nobody waiting
	p.check(err)
	defer f.Close()
	all := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	p.check(unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &all))
	for verb, want := range map[string]string{"report": "simulated", "list campaigns": "plan"} {
		if code, text := p.weir(append(strings.Fields(verb), "--store", store)...); code != exitOK || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d, want %q: %s", verb, code, want, text)
		}
	}
	if _, text := p.weir("doctor", "--store", store); !strings.Contains(text, "root records nothing in the store") {
		t.Errorf("doctor: %s", text)
	}
	if is, err := os.Stat(store); err != nil || !os.SameFile(is, before) || is.ModTime() != before.ModTime() || is.Mode() != before.Mode() {
		t.Errorf("the store was %v, and is %v, %v", before, is, err)
	}
	p.check(os.Remove(store))
	p.check(syscall.Mkfifo(store, 0o644))
	if code, text := p.weir("report", "--store", store); code != exitError || !strings.Contains(text, "is a pipe and no file") {
		t.Errorf("a pipe: exit code %d: %s", code, text)
	}
	if left, err := filepath.Glob(p.in("mine", "s.db-*")); err != nil || len(left) != 1 { // the locks
		t.Errorf("beside the store: %v, %v", left, err)
	}
}

// Who may not read a store that is to be served is given what to do.
func TestServesWhatMayBeRead(t *testing.T) {
	p := newPlace(t)
	store := p.in("s.db")
	p.of(0, 0o600, store)
	var code int
	var text string
	testenv.AsUser(t, stranger, func() { code, text = p.weir("serve", "--address", "127.0.0.1:0", "--store", store) })
	if want := fmt.Sprintf("user %d may not read the store", stranger); code != exitError || !strings.Contains(text, want) || !strings.Contains(text, "give them a copy") {
		t.Errorf("exit code %d, want %q: %s", code, want, text)
	}
}
