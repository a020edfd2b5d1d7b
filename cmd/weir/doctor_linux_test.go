package main

import (
	"os"
	"strings"
	"testing"

	"weir/internal/lab"
)

// The check of the tools lists what is missing once for each package, and what
// it is for.
func TestCheckTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	before := lab.SystemFolders
	lab.SystemFolders = nil
	t.Cleanup(func() { lab.SystemFolders = before })
	f := checkTools(t.Context(), nil)
	if f.Status != missing || !strings.HasPrefix(f.Remedy, "apt-get install iproute2 nftables") || strings.Count(f.Remedy, "iproute2") != 1 {
		t.Errorf("%+v", f)
	}
}

// A store that is none is no fine store.
func TestCheckStore(t *testing.T) {
	path := t.TempDir() + "/garbage.db"
	if f := checkStore(t.Context(), &app{store: path}); f.Status != fine {
		t.Errorf("one that can be made: %+v", f)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("precious notes\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := checkStore(t.Context(), &app{store: path}); f.Status != missing || !strings.Contains(f.Found, "not a weir store") {
		t.Errorf("%+v", f)
	}
}
