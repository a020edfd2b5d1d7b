package main

import (
	"os"
	"strings"
	"testing"

	"weir/internal/lab"
)

// A store that is none is no fine store.
func TestCheckStore(t *testing.T) {
	path := t.TempDir() + "/garbage.db"
	if f := (&app{store: path}).checkStore(t.Context()); f.Status != lab.Fine {
		t.Errorf("one that can be made: %+v", f)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("precious notes\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := (&app{store: path}).checkStore(t.Context()); f.Status != lab.Missing || !strings.Contains(f.Found, "not a weir store") {
		t.Errorf("%+v", f)
	}
}
