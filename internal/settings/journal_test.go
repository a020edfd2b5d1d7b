package settings

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/testenv"
)

// begun has the files /a, /b and /c set to 2, in a journal, and what undoes it.
func begun(t *testing.T, m *machine) *Undo {
	t.Helper()
	u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "run", "journal.json"))}
	for _, name := range []string{"/a", "/b", "/c"} {
		if now, err := u.Set(t.Context(), m, Setting{Kind: File, Name: name}, "2"); err != nil || now != "2" {
			t.Fatalf("%s is %q: %v", name, now, err)
		}
	}
	return u
}

// What could not be set back is not gone where its host is: the device may have left it.
func TestFailedIsNotGone(t *testing.T) {
	m := newMachine("/a", "1\n")
	j := opened(t, filepath.Join(t.TempDir(), "journal.json"))
	u := &Undo{Journal: j}
	if _, err := u.Set(t.Context(), m, Setting{Kind: File, Device: "eth0", Name: "/a"}, "2"); err != nil {
		t.Fatal(err)
	}
	m.refused = "/a"
	if err := u.Run(t.Context()); err == nil {
		t.Fatal("it is set back")
	}
	away := func(string) (weir.Host, error) { return nil, fs.ErrNotExist }
	r, err := opened(t, j.Path()).Restore(t.Context(), away, quiet)
	if err != nil || r.Gone != 0 || r.Undone != 0 || len(r.Forgotten) != 1 || !strings.Contains(r.Forgotten[0], "the device may be elsewhere") {
		t.Errorf("%+v, %v", r, err)
	}
	if all := opened(t, j.Path()).Changes(); len(all) != 0 { // or nobody could begin anything any more
		t.Errorf("the journal has %v", all)
	}
}

// What was changed is restored by who changed it, or by the next process; twice is
// as good as once.
func TestUndoneByEither(t *testing.T) {
	want := []string{"/a = 3", "/a = 2", "/b = x", "/a = 1"}
	for name, undo := range map[string]func(*Undo, *machine) error{
		"itself": func(u *Undo, _ *machine) error { return u.Run(t.Context()) },
		"the next": func(u *Undo, m *machine) error {
			_, err := opened(t, u.Journal.Path()).Restore(t.Context(), m.open, quiet)
			return err
		},
	} {
		m := newMachine("/a", "1\n", "/b", "x\n", "/c", "2\n")
		u := begun(t, m)
		if now, err := u.Set(t.Context(), m, Setting{Kind: File, Name: "/a"}, "3"); err != nil || now != "3" {
			t.Fatal(now, err)
		}
		if diff := cmp.Diff([]string{"/a = 2", "/b = 2", "/a = 3"}, m.changes()); diff != "" {
			t.Error(name, diff)
		}
		stale := opened(t, u.Journal.Path()) // of a process that comes too late
		if err := undo(u, m); err != nil {
			t.Error(name, err)
		}
		if diff := cmp.Diff(want[1:], m.changes()); diff != "" {
			t.Error(name, diff)
		}
		if _, err := os.Stat(u.Journal.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the journal is still there: %v", name, err)
		}
		if _, _ = stale.Restore(t.Context(), m.open, quiet); len(m.changes()) > 0 {
			t.Errorf("%s: something was set when it was undone again", name)
		}
	}
}

// A setting that cannot be changed is not remembered.
func TestSetFails(t *testing.T) {
	m := newMachine("/a", "1", "/b", "1")
	m.refused, m.kept = "/a", "/b"
	u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
	for name, want := range map[string]string{"/a": "permission denied", "/b": "", "/none": "/none is not there any more"} {
		now, err := u.Set(t.Context(), m, Setting{Kind: File, Name: name}, "2")
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) || now == "2" {
			t.Errorf("%s is %q: %v, want %q", name, now, err, want)
		}
	}
	if left := u.Journal.Changes(); len(left) > 0 {
		t.Errorf("remembered: %+v", left)
	}
	if err := u.Run(t.Context()); err != nil || len(m.changes()) > 0 {
		t.Errorf("undone: %v", err)
	}
}

// What cannot be remembered is not changed.
func TestNotRemembered(t *testing.T) {
	m := newMachine("/a", "1")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
	u.Journal.path = filepath.Join(file, "journal.json")
	if _, err := u.Set(t.Context(), m, Setting{Kind: File, Name: "/a"}, "2"); err == nil {
		t.Error("there is no error")
	}
	if err := u.Do(t.Context(), m, command("do"), command("undo")); err == nil {
		t.Error("there is no error of the command")
	}
	if err := u.Run(t.Context()); err != nil || len(m.changes()) > 0 {
		t.Errorf("told something: %v", err)
	}
}

// A host that ends with the process is as it was, whatever others have set since.
func TestUndoneWithoutJournal(t *testing.T) {
	m := newMachine("/a", "1\n")
	var u Undo
	if _, err := u.Set(t.Context(), m, Setting{Kind: File, Name: "/a"}, "2"); err != nil {
		t.Fatal(err)
	}
	m.files["/a"] = "7\n"
	if err := u.Close(); err != nil || m.files["/a"] != "1\n" {
		t.Errorf("%q, %v", m.files["/a"], err)
	}
}

func TestRestoreFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*machine)
		want  string
	}{
		{"refused", func(m *machine) { m.refused = "/a" }, "permission denied"},
		{"without effect", func(m *machine) { m.kept = "/a" }, "it is 2 now"},
		{"gone", func(m *machine) { delete(m.files, "/a") }, "not there any more"},
		{"changed by somebody", func(m *machine) { m.files["/a"] = "7" }, "weir had set it to 2, and somebody has set it to 7 since"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine("/a", "1", "/b", "1", "/c", "1")
			u := begun(t, m)
			c.spoil(m)
			j := opened(t, u.Journal.Path())
			_, err := j.Restore(t.Context(), m.open, quiet)
			var not *NotRestoredError
			if !errors.As(err, &not) || not.Change.Name != "/a" {
				t.Fatalf("error %v", err)
			}
			for _, want := range []string{"NOT RESTORED: file /a was 1", c.want, "by hand: echo 1 > /a"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error has no %q: %v", want, err)
				}
			}
			if m.files["/b"] != "1\n" {
				t.Errorf("the other one is %q", m.files["/b"])
			}
			if left := opened(t, j.Path()).Changes(); len(left) != 1 || left[0].Name != "/a" {
				t.Errorf("remembered: %+v", left)
			}
			if err := u.Run(t.Context()); (err == nil) != (c.name == "gone") {
				t.Errorf("undone by itself: %v", err)
			}
			if err := j.Forget(t.Context(), m.open); err != nil || len(opened(t, j.Path()).Changes()) > 0 {
				t.Errorf("not forgotten: %v", err)
			}
		})
	}
}

// After a restart of the machine, or with a host that is gone, there is nothing to
// restore.
func TestNothingToRestore(t *testing.T) {
	for name, spoil := range map[string]func(*machine) func(string) (weir.Host, error){
		"anew": func(m *machine) func(string) (weir.Host, error) { m.files[bootID] = "b\n"; return m.open },
		"gone": func(*machine) func(string) (weir.Host, error) {
			return func(string) (weir.Host, error) { return nil, fs.ErrNotExist }
		},
	} {
		m := newMachine("/a", "1", "/b", "1", "/c", "1")
		u := begun(t, m)
		m.changes()
		var said []string
		if _, err := u.Journal.Restore(t.Context(), spoil(m), func(line string) { said = append(said, line) }); err != nil || len(m.changes()) > 0 || len(u.Journal.Changes()) > 0 {
			t.Errorf("%s: %v, left %v", name, err, u.Journal.Changes())
		}
		if anew := slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "started anew since 3 settings") }); anew != (name == "anew") {
			t.Errorf("%s: said %q", name, said)
		}
	}
}

// A start undoes what weir has set, and not what a user's command has: that is undone after
// it, too, by itself and by the next weir. Where it fails, the start may have undone it.
func TestUndoneAfterAStart(t *testing.T) {
	users := Command{Argv: []string{"whole"}, Limit: time.Minute}
	for _, c := range []struct {
		name, fails string
		undo        func(*Undo, *machine, func(string)) error
		said        string
	}{
		{"itself", "", func(u *Undo, _ *machine, _ func(string)) error { return u.Run(t.Context()) }, ""},
		{"the next", "", func(u *Undo, m *machine, say func(string)) error {
			_, err := opened(t, u.Journal.Path()).Restore(t.Context(), m.open, say)
			return err
		}, "whole\nthe machine has started anew since 2 settings"},
		{"the next, in vain", "whole", func(u *Undo, m *machine, say func(string)) error {
			_, err := opened(t, u.Journal.Path()).Restore(t.Context(), m.open, say)
			return err
		}, "whole\nit is not known whether there was anything to undo"},
	} {
		m := newMachine("/a", "1")
		u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
		_, err := u.Set(t.Context(), m, Setting{Kind: File, Name: "/a"}, "2")
		if err = errors.Join(err, u.Try(t.Context(), m, command("half"), users), u.Do(t.Context(), m, command("own"), command("back"))); err != nil {
			t.Fatal(err)
		}
		m.changes()
		m.files[bootID], m.fails = "b\n", c.fails
		var said []string
		if err := c.undo(u, m, func(line string) { said = append(said, line) }); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff([]string{"whole"}, m.changes()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if text := strings.Join(said, "\n"); !strings.HasPrefix(text, c.said) {
			t.Errorf("%s: said %q", c.name, said)
		}
		if left := opened(t, u.Journal.Path()).Changes(); len(left) > 0 {
			t.Errorf("%s: remembered: %+v", c.name, left)
		}
	}
}

// Commands are undone by others. One of which it is not known whether it was done may
// fail: it is told once, with what to do.
func TestCommandsAreUndone(t *testing.T) {
	m := newMachine()
	u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
	for _, name := range []string{"x", "y"} {
		if err := u.Do(t.Context(), m, command("add", name), Command{Argv: []string{"del"}, Stdin: name}); err != nil {
			t.Fatal(err)
		}
	}
	m.fails = "half"
	if err := u.Try(t.Context(), m, command("half"), command("whole")); err == nil {
		t.Error("it did not fail")
	}
	if err := u.Do(t.Context(), m, command("half"), command("never")); err == nil || len(u.Journal.Changes()) != 3 {
		t.Errorf("%v, remembered %+v", err, u.Journal.Changes())
	}
	m.changes()
	m.fails = "whole"
	j := opened(t, u.Journal.Path())
	_, err := j.Restore(t.Context(), m.open, quiet)
	if want := "NOT RESTORED: it failed; by hand: whole"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if diff := cmp.Diff([]string{"whole", "dely", "delx"}, m.changes()); diff != "" {
		t.Error(diff)
	}
	j.kept.Changes[0].Done = false // as after a kill between the entry and the command
	var said []string
	if _, err := j.Restore(t.Context(), m.open, func(line string) { said = append(said, line) }); err != nil || len(j.Changes()) > 0 {
		t.Errorf("%v, left %+v", err, j.Changes())
	}
	if !strings.Contains(strings.Join(said, "\n"), "it is not known whether there was anything to undo; undoing it failed: it failed; by hand: whole") {
		t.Errorf("said %q", said)
	}
}

// What is about something that is gone is not undone; nothing is begun any more when
// all is over, and nothing interrupted.
func TestCommandsOfWhatIsGone(t *testing.T) {
	m := newMachine()
	u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
	if err := u.Do(t.Context(), m, command("add"), Command{Argv: []string{"del"}, If: Present{{List: []string{"list"}, Name: "it"}}}); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := u.Do(over, m, command("late"), command("never")); !errors.Is(err, context.Canceled) {
		t.Errorf("begun when all was over: %v", err)
	}
	m.says = "2: other@it: <UP>\n"
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"add", "list"}, m.changes()); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.json")
	for _, c := range []struct{ text, want string }{
		{`{"version":1,`, "is damaged"},
		{`{"version":1}`, "another version of weir"},
		{`{"version":9,"changes":[null]}`, "another version of weir (9, this one knows 3)"},
		{`[null]`, "is damaged"},
		{`{"version":2,"changes":[null]}`, "is damaged: change 1 is empty"},
		{`{"version":2,"changes":[{"kind":"mtu"},{"undo":{"argv":[]}}]}`, "is damaged: the command of change 2 is empty"},
		{`{"version":2,"changes":[{"old":"1"}]}`, "is damaged: change 1 has no kind"},
		{"\x00\xff", "is damaged"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenJournal(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// A host that has no ID of its start is set back: nobody knows that it has started anew.
// One that has another ID than before is what it was.
func TestStartUnknown(t *testing.T) {
	for _, c := range []struct {
		name   string
		anew   bool
		undone string
	}{{"without an ID", false, "1"}, {"started anew", true, "2"}} {
		m := newMachine("/a", "1")
		if !c.anew {
			delete(m.files, bootID)
			m.fails = "sh"
		}
		u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
		if _, err := u.Set(t.Context(), m, Setting{Kind: File, Name: "/a"}, "2"); err != nil {
			t.Fatal(c.name, err)
		}
		if c.anew {
			m.files[bootID] = "b\n"
		}
		if err := u.Run(t.Context()); err != nil || strings.TrimSpace(m.files["/a"]) != c.undone || len(u.Journal.Changes()) > 0 {
			t.Errorf("%s: /a is %q, want %q: %v", c.name, m.files["/a"], c.undone, err)
		}
	}
}

// A journal that another user could have written, or put another one in the place of, undoes
// nothing: its commands run as root.
func TestJournalOfOthers(t *testing.T) {
	testenv.NeedRoot(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "journal.json")
	if err := os.WriteFile(file, []byte(`{"version":3,"changes":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t, file)
	for path, owner := range map[string]int{file: 65534, folder: 65534} {
		if err := os.Chown(path, owner, owner); err != nil {
			t.Fatal(err)
		}
		if j, err := OpenJournal(file); err == nil || !strings.Contains(err.Error(), path+" belongs to user 65534") {
			t.Errorf("%s is of user %d: %v, %v", path, owner, j, err)
		}
		if err := os.Chown(path, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// Such a journal is not even opened: as a pipe it would keep root's weir waiting, and have it read
// without an end.
func TestJournalOfOthersIsNotRead(t *testing.T) {
	testenv.NeedRoot(t)
	file := filepath.Join(t.TempDir(), "journal.json")
	if err := errors.Join(syscall.Mkfifo(file, 0o600), os.Chown(file, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	reader := make(chan bool, 1)
	go func() { // it waits until somebody reads
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		reader <- err == nil
		f.Close()
	}()
	if j, err := OpenJournal(file); err == nil {
		t.Errorf("it was opened: %v", j)
	}
	select {
	case <-reader:
		t.Error("it was read")
	default:
		f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // for the one who waits
		if err != nil {
			t.Fatal(err)
		}
		<-reader
		f.Close()
	}
}
