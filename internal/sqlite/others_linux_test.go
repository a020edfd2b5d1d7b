package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/testenv"
)

// another is a user who is not the one that owns a store.
const another = 4242

// passable lets all users pass through the folders of a test.
func passable(t *testing.T, folder string) {
	t.Helper()
	for ; folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// perms are the rights to files, "" for those that are not there.
func perms(store string) (all []fs.FileMode) {
	for _, file := range []string{store, store + "-wal", store + "-shm"} {
		if is, err := os.Stat(file); err == nil {
			all = append(all, is.Mode().Perm())
		}
	}
	return all
}

// Nobody may lock a store who may not write to it: not one that weir makes, nor one that it made
// before, nor what SQLite has beside it.
func TestOthersLockNothing(t *testing.T) {
	testenv.NeedRoot(t) // to be somebody else
	s := open(t)
	record(t, s, "complete")
	passable(t, filepath.Dir(s.path))
	check := func(when string, want fs.FileMode) {
		t.Helper()
		all := perms(s.path)
		for _, mode := range all {
			if mode != want {
				t.Errorf("%s: %v, want all to be %v", when, all, want)
			}
		}
		if len(all) != 3 {
			t.Errorf("%s: %d files of 3 are there", when, len(all))
		}
	}
	check("new", 0o600)
	for _, c := range []struct{ was, want fs.FileMode }{{0o644, 0o600}, {0o664, 0o660}, {0o666, 0o666}, {0o640, 0o600}} {
		for _, file := range []string{s.path, s.path + "-wal", s.path + "-shm"} {
			if err := os.Chmod(file, c.was); err != nil {
				t.Fatal(err)
			}
		}
		again, err := Open(t.Context(), s.path)
		if err != nil {
			t.Fatal(err)
		}
		check(c.was.String(), c.want)
		again.Close()
	}
	if err := os.Chmod(s.path, 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	testenv.AsUser(t, another, func() {
		for _, file := range []string{s.path, s.path + "-shm"} {
			f, err := os.Open(file)
			if err != nil {
				continue
			}
			defer f.Close()
			lock := unix.Flock_t{Type: unix.F_RDLCK}
			t.Errorf("%s may be opened, and locked: %v", file, unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock))
		}
	})
}

// Root takes no file with locks that somebody else has made, and may hold.
func TestLocksOfAnother(t *testing.T) {
	testenv.NeedRoot(t)
	store := filepath.Join(t.TempDir(), "weir.db")
	for path, owner := range map[string]int{store: 0, store + "-lock": another} {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chown(path, owner, owner)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := LockCampaign(store, "a"); err == nil || !strings.Contains(err.Error(), "belongs to user 4242") {
		t.Errorf("locks of another user: %v", err)
	}
	if is, err := os.Stat(store + "-lock"); err != nil || is.Sys().(*syscall.Stat_t).Uid != another {
		t.Errorf("they were taken: %v, %v", is, err)
	}
}

// What never ends, or is kept from being opened, is an error, and keeps nobody waiting.
func TestOpeningEnds(t *testing.T) {
	folder := t.TempDir()
	pipe, leased := filepath.Join(folder, "pipe"), filepath.Join(folder, "leased")
	if err := syscall.Mkfifo(pipe, 0o400); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(leased, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, leased} {
		for name, open := range map[string]func() (*Store, error){
			"Open":     func() (*Store, error) { return Open(t.Context(), path) },
			"OpenCopy": func() (*Store, error) { return OpenCopy(t.Context(), path) },
		} {
			if s, err := open(); err == nil {
				s.Close()
				t.Errorf("%s of %s: no error", name, path)
			}
		}
	}
}

// A copy has what the owner of a store wrote, and nothing that somebody else has put beside it;
// the store is left as it was, and of the copy nothing is left. Whoever names a store by a link has
// looked at that.
func TestCopyOfStore(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := open(t) // not closed: what is recorded after the checkpoint is in its -wal
	before := record(t, s, "complete")
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	ahead := record(t, s, "complete")
	link := s.path + "-link"
	if err := os.Symlink(s.path, link); err != nil {
		t.Fatal(err)
	}
	for owner, want := range map[int]int{0: 2, another: 1} {
		if err := os.Chown(s.path+"-wal", owner, owner); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{s.path, link} {
			c, err := OpenCopy(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if rows, err := c.Campaigns(t.Context()); err != nil || len(rows) != want || rows[want-1].ID != before.ID {
				t.Errorf("%s with what user %d has written ahead: %+v, %v", path, owner, rows, err)
			}
			if got, err := c.Campaign(t.Context(), ahead.ID); want == 2 && (err != nil || len(got.Trials) != len(ahead.Trials)) {
				t.Errorf("%s has %d trials that were written ahead, %v", path, len(got.Trials), err)
			}
			if _, err := c.Begin(t.Context(), weir.Campaign{}); err != nil {
				t.Errorf("the copy is private, and can be written: %v", err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if rows, err := s.Campaigns(t.Context()); err != nil || len(rows) != 2 {
		t.Errorf("the store has %d campaigns, %v", len(rows), err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A copy of a store that an older weir made is read as one of this weir's, and nothing is left
// beside the store.
func TestCopyOfStoreOfBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weir.db")
	makeStoreOfBefore(t, path)
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenCopy(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Campaign(t.Context(), "old"); err != nil || len(got.Trials) != 2 {
		t.Errorf("%d trials, %v", len(got.Trials), err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	all, err := os.ReadDir(filepath.Dir(path))
	if is, read := os.ReadFile(path); err != nil || len(all) != 1 || read != nil || !slices.Equal(is, was) {
		t.Errorf("the store has changed, or %v lie there: %v, %v", all, err, read)
	}
}

// Whoever may write to the folder of a store puts a link, or a further name, of a file of root's in
// the place of one of its files: that file keeps its rights.
func TestTightensNoOtherFile(t *testing.T) {
	folder := t.TempDir()
	other, path, link := filepath.Join(folder, "other"), filepath.Join(folder, "weir.db-wal"), filepath.Join(folder, "link")
	make644 := func(path string) {
		if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chmod(path, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	unchanged := func(when string) {
		t.Helper()
		if is, err := os.Stat(other); err != nil || is.Mode().Perm() != 0o644 {
			t.Fatalf("%s, another file has lost its rights: %v, %v", when, is.Mode(), err)
		}
	}
	make644(other)
	if err := os.Link(other, path); err != nil {
		t.Fatal(err)
	}
	if err := tightenFile(path); err != nil {
		t.Error(err)
	}
	unchanged("by a further name")
	for range 5000 { // of which some meet the moment between looking and changing
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		make644(path)
		if err := os.Symlink(other, link); err != nil {
			t.Fatal(err)
		}
		swapped := make(chan error)
		go func() { swapped <- os.Rename(link, path) }()
		_ = tightenFile(path) // which may say that it is a link by now
		if err := <-swapped; err != nil {
			t.Fatal(err)
		}
		unchanged("by a link")
	}
}

// A file that is no store keeps the rights that it has: somebody has named the wrong one.
func TestForeignFileKeepsItsRights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(path, []byte("127.0.0.1 localhost\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), path); err == nil {
		s.Close()
		t.Error("it opened as a store")
	}
	if is, err := os.Stat(path); err != nil || is.Mode().Perm() != 0o644 {
		t.Errorf("it has %v, %v", is.Mode(), err)
	}
}

// Who may not write, or not read, is told whose the store is.
func TestStoreOfAnother(t *testing.T) {
	testenv.NeedRoot(t) // to be somebody else
	s := open(t)
	record(t, s, "complete")
	s.Close()
	passable(t, filepath.Dir(s.path))
	for mode, want := range map[os.FileMode]string{0o644: "may read, and not write to, the store", 0o600: "may neither read nor write to the store"} {
		if err := os.Chmod(s.path, mode); err != nil {
			t.Fatal(err)
		}
		testenv.AsUser(t, another, func() {
			s, err := Open(t.Context(), s.path)
			if err == nil {
				defer s.Close()
				if _, err = s.Campaign(t.Context(), "latest"); err != nil {
					t.Errorf("mode %v: %v", mode, err)
				}
				_, err = s.Begin(t.Context(), weir.Campaign{})
			}
			var not *NotWritableError
			if !errors.As(err, &not) || !strings.Contains(err.Error(), want) {
				t.Errorf("mode %v: %v", mode, err)
			}
		})
	}
}
