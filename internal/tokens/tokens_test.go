package tokens

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some folder", "tokens.json")
	if all, err := Load(path); err != nil || len(all) > 0 {
		t.Fatalf("a file that is not there has %v, %v", all, err)
	}
	one, err := Add(path, "ci", []Scope{Read, Import})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Add(path, "me@home", []Scope{Annotate})
	if err != nil {
		t.Fatal(err)
	}
	if len(one) < len(prefix)+43 || one == two {
		t.Errorf("tokens are %q and %q", one, two)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), one[len(prefix):]) {
		t.Error("the file has the token itself")
	}
	if is, err := os.Stat(path); err != nil || is.Mode() != 0o600 {
		t.Errorf("the file has mode %v, %v", is.Mode(), err)
	}
	all, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []Token{{"ci", []Scope{Read, Import}, Sum(one), time.Time{}}, {"me@home", []Scope{Annotate}, Sum(two), time.Time{}}}
	if diff := cmp.Diff(want, all, cmpopts.IgnoreFields(Token{}, "Made")); diff != "" {
		t.Error(diff)
	}
	if is, found := Find(all, one); !found || is.Name != "ci" || !is.May(Import) || is.May(Delete) {
		t.Errorf("the token is found as %v, %v", is, found)
	}
	for _, wrong := range []string{"", one + "x", one[:len(one)-1], Sum(one), "ci"} {
		if is, found := Find(all, wrong); found {
			t.Errorf("%q is taken for %s", wrong, is.Name)
		}
	}
	if err := Remove(path, "ci"); err != nil {
		t.Fatal(err)
	}
	if all, err = Load(path); err != nil || len(all) != 1 || all[0].Name != "me@home" {
		t.Errorf("after a removal there are %v, %v", all, err)
	}
}

func TestWrongTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	if _, err := Add(path, "ci", Scopes); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		scopes []Scope
		want   string
	}{
		{"", Scopes, "cannot be called"}, {"a b", Scopes, "cannot be called"}, {"<b>", Scopes, "cannot be called"}, {strings.Repeat("x", 65), Scopes, "64 at most"},
		{"x", nil, "without a scope"}, {"ci", Scopes, "already"},
	} {
		if token, err := Add(path, c.name, c.scopes); err == nil || token != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q with %v: %q, %v", c.name, c.scopes, token, err)
		}
	}
	if err := Remove(path, "nobody"); err == nil {
		t.Error("a token that is not there was removed")
	}
	if scopes, err := ReadScopes([]string{"run", " read", "run"}); err != nil || List(scopes) != "run,read" {
		t.Errorf("scopes are %v, %v", scopes, err)
	}
	if _, err := ReadScopes([]string{"all"}); err == nil {
		t.Error("a scope that there is not was taken")
	}
}

// A file that others may write to, or put another one in its place, counts for nothing.
func TestTokensOfOthers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	path := filepath.Join(folder, "tokens.json")
	if _, err := Add(path, "ci", Scopes); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path        string
		mode, right os.FileMode
	}{{path, 0o602, 0o600}, {folder, 0o777, 0o755}, {folder, 0o777 | os.ModeSticky, 0o755}} {
		if err := os.Chmod(c.path, c.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); !errors.As(err, new(*NotSafeError)) {
			t.Errorf("%s with mode %v: %v", c.path, c.mode, err)
		}
		if _, err := Add(path, "more", Scopes); !errors.As(err, new(*NotSafeError)) {
			t.Errorf("%s with mode %v was written: %v", c.path, c.mode, err)
		}
		if err := os.Chmod(c.path, c.right); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err != nil {
			t.Errorf("%s with mode %v: %v", c.path, c.right, err)
		}
	}
	if err := os.WriteFile(path, []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil {
		t.Error("what is no JSON was taken")
	}
}
