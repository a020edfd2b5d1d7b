package agent_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"weir/internal/agent"
)

// A program that is replaced or removed while it runs starts itself, and not what took its place.
func TestSelf(t *testing.T) {
	bed := lab(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "weir")
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	a, err := agent.Start(t.Context(), agent.Place{Host: bed.TesterHost(), Self: path}, "slow", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	self := func() (file string) {
		t.Helper()
		if err := a.Ask(t.Context(), "self", nil, &file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if got := self(); got != path {
		t.Errorf("it is at %s, and says %s", path, got)
	}
	newer := path + "-newer"
	if err := os.WriteFile(newer, []byte("newer"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func() error
	}{
		{"replaced", func() error { return os.Rename(newer, path) }},
		{"removed", func() error { return os.Remove(path) }},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(self()); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: another program is there: %v", c.name, err)
		}
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}
