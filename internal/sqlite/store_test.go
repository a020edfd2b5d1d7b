package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

var addresses = cmpopts.EquateComparable(netip.Addr{})

func TestRoundTrip(t *testing.T) {
	s := open(t)
	want := record(t, s, "complete")
	got, err := s.Campaign(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, addresses); diff != "" {
		t.Errorf("campaign differs (-want +got):\n%s", diff)
	}
	rows, err := s.Campaigns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list := []Row{{ID: want.ID, Name: "a name", Started: want.Manifest.Started, Ended: "complete", Simulated: true, Results: 2, Trials: 3}}
	if diff := cmp.Diff(list, rows); diff != "" {
		t.Errorf("list differs (-want +got):\n%s", diff)
	}
}

func TestColumns(t *testing.T) {
	s := open(t)
	record(t, s, "")
	var offered, forwarded, loss float64
	var warnings string
	err := s.db.QueryRow(`SELECT offered, forwarded, loss, warnings FROM trials WHERE number = 2`).Scan(&offered, &forwarded, &loss, &warnings)
	if err != nil {
		t.Fatal(err)
	}
	if offered != 1e6 || forwarded != 990e3 || loss != .01 || warnings != "steal-time unexplained-loss" {
		t.Errorf("columns are %v, %v, %v, %q", offered, forwarded, loss, warnings)
	}
}

// A killed process closes nothing: its files, as they lie on the disk, must
// hold all that was recorded.
func TestKilled(t *testing.T) {
	s := open(t)
	want := record(t, s, "")
	dir := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(s.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "weir.db"+suffix), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Open(t.Context(), filepath.Join(dir, "weir.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	got, err := again.Campaign(t.Context(), "latest")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, addresses); diff != "" {
		t.Errorf("campaign differs (-want +got):\n%s", diff)
	}
}

func TestInterrupted(t *testing.T) {
	s := open(t)
	n := begin(t, s, weir.Campaign{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(n.RecordTrial(ctx, sampleTrial(1)), n.End(ctx, "interrupted")); err != nil {
		t.Fatal(err)
	}
	c, err := s.Campaign(t.Context(), "")
	if err != nil || len(c.Trials) != 1 || c.Ended != "interrupted" {
		t.Errorf("%d trials, ended %q, %v; want 1, interrupted", len(c.Trials), c.Ended, err)
	}
}

func TestFull(t *testing.T) {
	s := open(t)
	n := begin(t, s, weir.Campaign{ID: "full"})
	var pages int
	if err := s.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+10)); err != nil {
		t.Fatal(err)
	}
	recorded := 0
	var err error
	for err == nil && recorded < 1000 {
		if err = n.RecordTrial(t.Context(), sampleTrial(recorded+1)); err == nil {
			recorded++
		}
	}
	var full *FullError
	if !errors.As(err, &full) || full.Path != s.path {
		t.Fatalf("after %d trials the error is %v, want a FullError", recorded, err)
	}
	if !strings.Contains(err.Error(), "free some space") {
		t.Errorf("%q does not say what to do", err)
	}
	c, err := s.Campaign(t.Context(), "full")
	if err != nil || len(c.Trials) != recorded {
		t.Errorf("%d of %d trials are there (%v)", len(c.Trials), recorded, err)
	}
}

// TestNoPlace: SQLite's own message says neither where nor what to do. A folder in the place of
// its journal stands for a file system that is read-only, which root alone can make.
func TestNoPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.db")
	if err := os.MkdirAll(filepath.Join(path+"-journal", "in-use"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), filepath.Dir(path)+" cannot be written to") || !strings.Contains(err.Error(), "--store") {
		t.Errorf("the error is %v, want the folder and what to do", err)
	}
}

func TestNewerStore(t *testing.T) {
	s := open(t)
	if _, err := s.db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, err := Open(t.Context(), s.path)
	var newer *NewerStoreError
	if !errors.As(err, &newer) {
		t.Fatalf("the error is %v, want a NewerStoreError", err)
	}
	if diff := cmp.Diff(&NewerStoreError{Path: s.path, Have: 99, Know: 3}, newer); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(err.Error(), "--store") {
		t.Errorf("%q does not say what to do", err)
	}
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("just a text\n", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE bookmarks (url TEXT)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	for _, path := range []string{text, other} {
		before, _ := os.ReadFile(path)
		_, err := Open(t.Context(), path)
		var foreign *ForeignFileError
		if !errors.As(err, &foreign) {
			t.Errorf("%s: the error is %v, want a ForeignFileError", path, err)
		}
		if after, _ := os.ReadFile(path); !cmp.Equal(before, after) {
			t.Errorf("%s was changed", path)
		}
	}
	for _, path := range []string{"", dir, filepath.Join(text, "weir.db")} {
		if s, err := Open(t.Context(), path); err == nil {
			s.Close()
			t.Errorf("%q opened", path)
		}
	}
}

// Two processes open the same new store and write to it at once.
func TestTwoProcesses(t *testing.T) {
	const each = 20
	if path := os.Getenv("WEIR_TEST_WRITE_TO"); path != "" {
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		n := begin(t, s, weir.Campaign{})
		for i := range each {
			if err := n.RecordTrial(t.Context(), sampleTrial(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	path := filepath.Join(t.TempDir(), "weir.db")
	var writers []*exec.Cmd
	for range 2 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcesses$")
		cmd.Env = append(os.Environ(), "WEIR_TEST_WRITE_TO="+path)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, cmd)
	}
	for _, cmd := range writers {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Campaigns(t.Context())
	if err != nil || len(rows) != 2 || rows[0].Trials != each || rows[1].Trials != each {
		t.Errorf("campaigns are %v (%v), want two with %d trials", rows, err, each)
	}
}

// One campaign's trial: what a search waits for after each of its trials.
func BenchmarkRecordTrial(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "weir.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	n, err := s.Begin(b.Context(), weir.Campaign{})
	if err != nil {
		b.Fatal(err)
	}
	r := sampleTrial(1)
	for b.Loop() {
		if err := n.RecordTrial(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}
