package settings

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// Something is there where a line of the list has its name as whole words.
func TestHasWords(t *testing.T) {
	for _, c := range []struct {
		line, words string
		want        bool
	}{
		{"2: eth0: <BROADCAST,UP> mtu 1500", "eth0", true},
		{"2: eth0@if3: <BROADCAST,UP> mtu 1500", "eth0", true},
		{"2: veth@x@if3: <UP>", "veth@x", true},
		{"2: eth01: <UP>", "eth0", false},
		{"2: eth1@eth0: <UP>", "eth0", false},
		{"em0: flags=8863<UP> metric 0 mtu 1500", "em0", true},
		{"00100 set 31 allow ip from any to any", "set 31", true},
		{"00100 set 3 1 allow ip", "set 31", false},
		{"weir-abcde-ports (id: 4)", "weir-abcde-ports", true},
		{`3: new0: <UP> \    altname eth0`, "eth0", true},
		{"", "eth0", false},
	} {
		if got := hasWords(c.line, c.words); got != c.want {
			t.Errorf("%q in %q: %v", c.words, c.line, got)
		}
	}
}

// A question that fails says nothing: what is about it stays, whether it is known to be done or
// not, and is undone once it is answered. What an answer says to be gone is not called undone.
func TestQuestionFails(t *testing.T) {
	for _, done := range []bool{true, false} {
		for _, gone := range []bool{true, false} {
			m := newMachine()
			j := opened(t, filepath.Join(t.TempDir(), "journal.json"))
			u := &Undo{Journal: j}
			if err := u.Do(t.Context(), m, command("add"), Command{Argv: []string{"del"}, If: Present{{List: []string{"list"}, Name: "it"}}}); err != nil {
				t.Fatal(err)
			}
			j.kept.Changes[0].Done = done
			m.fails = "list"
			r, err := j.Restore(t.Context(), m.open, quiet)
			if err == nil || !strings.Contains(err.Error(), "ask whether it is still there: it failed; by hand: del") || !cmp.Equal(r, Restored{}) || len(j.Changes()) != 1 {
				t.Errorf("done %v: %+v, %v, left %+v", done, r, err, j.Changes())
			}
			m.changes()
			m.fails, m.says = "", "it"
			want, told := Restored{Undone: 1}, []string{"list", "del"}
			if gone {
				m.says, want, told = "", Restored{Gone: 1}, []string{"list"}
			}
			r, err = opened(t, j.Path()).Restore(t.Context(), m.open, quiet)
			if err != nil || !cmp.Equal(r, want) {
				t.Errorf("done %v, gone %v: %+v, %v", done, gone, r, err)
			}
			if diff := cmp.Diff(told, m.changes()); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// A command that was not started has undone nothing, also where it is not known whether there was
// anything to undo.
func TestUndoNotStarted(t *testing.T) {
	m := newMachine()
	j := opened(t, filepath.Join(t.TempDir(), "journal.json"))
	u := &Undo{Journal: j}
	if err := u.Do(t.Context(), m, command("add"), command("del")); err != nil {
		t.Fatal(err)
	}
	j.kept.Changes[0].Done = false
	m.fails, m.failure = "del", &weir.UnstartedError{Err: errors.New("resource temporarily unavailable")}
	if r, err := j.Restore(t.Context(), m.open, quiet); err == nil || !cmp.Equal(r, Restored{}) || len(j.Changes()) != 1 {
		t.Errorf("%+v, %v, left %+v", r, err, j.Changes())
	}
}

// The questions of an older weir are commands that fail where there is nothing to do, or for
// another reason: only that they succeed is an answer.
func TestOldQuestion(t *testing.T) {
	var c Command
	if err := json.Unmarshal([]byte(`{"argv": ["del"], "if": ["show", "it"]}`), &c); err != nil {
		t.Fatal(err)
	}
	m := newMachine()
	if err := c.run(t.Context(), m); err != nil {
		t.Error(err)
	}
	m.fails = "show"
	if err := c.run(t.Context(), m); err == nil || errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff([]string{"show it", "del", "show it"}, m.changes()); diff != "" {
		t.Error(diff)
	}
}

// mover is a machine that takes interfaces elsewhere.
type mover struct{ *machine }

// Native implements NativeHost.
func (m mover) Native(_ context.Context, n Native) error {
	m.told = append(m.told, n.Do+" "+n.Name)
	return nil
}

// A port does not leave the place where its settings were changed while one of them cannot be set
// back: nobody would find it there the next time; and what was changed before waits with it. It
// leaves then, or when all is to be forgotten.
func TestPortWaitsForItsSettings(t *testing.T) {
	const file = "/sys/class/net/p0/threaded"
	for _, forced := range []bool{false, true} {
		m := mover{newMachine(file, "0\n", "/sys/class/net/p0/ifindex", "7\n")}
		open := func(string) (weir.Host, error) { return m, nil }
		j := opened(t, filepath.Join(t.TempDir(), "journal.json"))
		u := &Undo{Journal: j}
		if err := u.Do(t.Context(), m, command("add"), command("remove")); err != nil {
			t.Fatal(err)
		}
		for _, port := range []string{"p0", "p1"} {
			if err := u.Try(t.Context(), m, command("take", port), Command{Argv: []string{"return", port}, Native: &Native{Do: "return", Name: port, Last: true}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := u.Set(t.Context(), m, Setting{Kind: File, Device: "p0", Name: file}, "1"); err != nil {
			t.Fatal(err)
		}
		m.changes()
		m.refused = file
		if err := u.Run(t.Context()); err == nil || !cmp.Equal(m.changes(), []string{"return p1"}) || len(j.Changes()) != 3 {
			t.Errorf("at the end: %v, left %+v", err, j.Changes())
		}
		j = opened(t, j.Path())
		j.Forced = forced
		r, err := j.Restore(t.Context(), open, quiet)
		want, told, left := Restored{}, []string(nil), 3
		if forced {
			want, told, left = Restored{Undone: 2}, []string{"return p0", "remove"}, 1
		}
		if err == nil || !cmp.Equal(r, want) || !cmp.Equal(m.changes(), told) || len(j.Changes()) != left {
			t.Errorf("forced %v: %+v, %v, left %+v", forced, r, err, j.Changes())
		}
		m.refused = ""
		if r, err = j.Restore(t.Context(), open, quiet); err != nil || r.Undone != left || len(j.Changes()) > 0 || strings.TrimSpace(m.files[file]) != "0" {
			t.Errorf("again: %+v, %v, %q", r, err, m.files[file])
		}
	}
}
