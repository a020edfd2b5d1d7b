package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneMeasurer(t *testing.T) {
	store, other := filepath.Join(t.TempDir(), "weir.db"), filepath.Join(t.TempDir(), "weir.db")
	for _, path := range []string{store, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	release, err := LockCampaign(store, "test of one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockCampaign(store, "test of one"); err == nil || !strings.Contains(err.Error(), "by another process") {
		t.Errorf("a second one: %v", err)
	}
	for path, want := range map[string]string{store: UnderWay, other: Killed, store + ".missing": StateUnknown} {
		if got := StateOf(path, "test of one"); got != want {
			t.Errorf("in %s it is %q, want %q", filepath.Base(path), got, want)
		}
	}
	elsewhere, err := LockCampaign(other, "test of one")
	if err != nil {
		t.Fatalf("in another store: %v", err)
	}
	if err := elsewhere(); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if got := StateOf(store, "test of one"); got != Killed {
		t.Errorf("given back it is %q", got)
	}
	again, err := LockCampaign(store, "test of one")
	if err != nil {
		t.Fatalf("after it was given back: %v", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
	if _, err := LockCampaign(store+".missing", "test of one"); err == nil || !strings.Contains(err.Error(), "the store") {
		t.Errorf("of no store: %v", err)
	}
}
