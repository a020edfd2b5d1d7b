package settings

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// cut is a machine whose connection ends while commands of a name run, so often, before
// or after they have done what they do.
type cut struct {
	*machine
	during string
	times  int
	after  bool
	there  bool // what add makes and remove removes
}

func (c *cut) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	line := strings.Join(argv, " ")
	c.told = append(c.told, line)
	lost := c.times > 0 && line == c.during
	if lost {
		c.times--
		if !c.after {
			return "", &weir.LostError{Err: errors.New("cut")}
		}
	}
	add := line == "add"
	changes := add || line == "remove"
	failed := changes && add == c.there
	if !failed && changes {
		c.there = add
	}
	switch {
	case lost:
		return "", &weir.LostError{Err: errors.New("cut")}
	case failed:
		return "", errors.New("it is " + map[bool]string{true: "there", false: "not there"}[c.there])
	case line == "is it there" && c.there:
		return "it is", nil
	}
	return "", nil
}

// A command whose connection ended may have been run or not: what it made is removed
// all the same, at once or by the next one, and nothing stays in the journal.
func TestConnectionLost(t *testing.T) {
	for _, during := range []string{"add", "remove", "is it there"} {
		for _, after := range []bool{false, true} {
			c := &cut{machine: newMachine(), during: during, times: 1, after: after}
			u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
			did := u.Do(t.Context(), c, Command{Argv: []string{"add"}}, Command{Argv: []string{"remove"}, If: Present{{List: []string{"is it there"}, Name: "it"}}})
			undid := u.Run(t.Context())
			if (did != nil) != (during == "add") || undid != nil || c.there || len(u.Journal.Changes()) > 0 {
				t.Errorf("cut in %s, after it %v: done %v, undone %v, there %v, kept %v", during, after, did, undid, c.there, u.Journal.Changes())
			}
		}
	}
	// One that stays away is undone when it is back.
	c := &cut{machine: newMachine(), during: "remove", times: 2}
	u := &Undo{Journal: opened(t, filepath.Join(t.TempDir(), "journal.json"))}
	if err := u.Do(t.Context(), c, Command{Argv: []string{"add"}}, Command{Argv: []string{"remove"}}); err != nil {
		t.Fatal(err)
	}
	if err := u.Run(t.Context()); err == nil {
		t.Error("undone without a connection")
	}
	_, err := u.Journal.Restore(t.Context(), func(string) (weir.Host, error) { return c, nil }, func(string) {})
	if diff := cmp.Diff([]string{"add", "remove", "remove", "remove"}, c.told); diff != "" || err != nil || c.there || len(u.Journal.Changes()) > 0 {
		t.Errorf("there %v: %v, %s", c.there, err, diff)
	}
}
