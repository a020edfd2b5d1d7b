package settings

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir"
)

// stuck is a machine of which commands of a name never end.
type stuck struct {
	*machine
	during string
	ran    []string
}

func (s *stuck) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	line := strings.Join(argv, " ")
	s.ran = append(s.ran, line)
	if line == s.during {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	return "", nil
}

// A command that never ends is given up after its limit, also where nobody may interrupt it,
// and so is reading. What it may have done is undone; what was not undone stays known.
func TestHung(t *testing.T) {
	add, remove := Command{Argv: []string{"add"}}, Command{Argv: []string{"remove"}}
	hung := func(t *testing.T, err error, limit time.Duration, began time.Time) {
		t.Helper()
		var is *HungError
		if took := time.Since(began); !errors.As(err, &is) || !strings.Contains(err.Error(), "weir lab restore") || took != limit {
			t.Errorf("after %v: %v; want %v", took, err, limit)
		}
	}
	for name, test := range map[string]func(t *testing.T, s *stuck, u *Undo){
		"add": func(t *testing.T, s *stuck, u *Undo) {
			began := time.Now()
			hung(t, u.Do(t.Context(), s, add, remove), ownLimit, began)
			if err := u.Run(t.Context()); err != nil || strings.Join(s.ran, " ") != "add remove" || len(u.Journal.Changes()) > 0 {
				t.Errorf("%v, it ran %v, kept %v", err, s.ran, u.Journal.Changes())
			}
		},
		"remove": func(t *testing.T, s *stuck, u *Undo) {
			if err := u.Do(t.Context(), s, add, remove); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			hung(t, u.Run(t.Context()), ownLimit, began)
			s.during = ""
			_, err := u.Journal.Restore(t.Context(), func(string) (weir.Host, error) { return s, nil }, quiet)
			if err != nil || strings.Join(s.ran, " ") != "add remove remove" || len(u.Journal.Changes()) > 0 {
				t.Errorf("%v, it ran %v, kept %v", err, s.ran, u.Journal.Changes())
			}
		},
		"many": func(t *testing.T, s *stuck, u *Undo) {
			began := time.Now()
			many := Command{Argv: []string{"many"}, Stdin: strings.Repeat("route\n", 100_000)}
			hung(t, u.Do(t.Context(), s, many, remove), ownLimit+100_000*lineLimit, began)
		},
		"sysctl -n a": func(t *testing.T, s *stuck, u *Undo) {
			began := time.Now()
			_, err := u.Set(t.Context(), s, Setting{Kind: Sysctl, Name: "a"}, "1")
			hung(t, err, ownLimit, began)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.json")
			synctest.Test(t, func(t *testing.T) {
				test(t, &stuck{machine: newMachine(), during: name}, &Undo{Journal: opened(t, path)})
			})
		})
	}
}
