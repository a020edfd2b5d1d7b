package sqlite

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir"
)

// A bit that a disk has flipped in what was recorded is noticed by whoever reads
// it, and other campaigns can be read.
func TestFlippedBits(t *testing.T) {
	for _, c := range []struct{ what, flip string }{
		{"trial 2 of campaign ", `UPDATE trials SET result = replace(result, '"offered":', '"offerea":') WHERE number = 2 AND campaign = ?`},
		{"trial 7 of campaign ", `UPDATE trials SET number = 7 WHERE number = 2 AND campaign = ?`},
		{"result 1 of campaign ", `UPDATE results SET result = replace(result, '"value":', '"valuf":') WHERE campaign = ?`},
		{"result 1 of campaign ", `UPDATE results SET took = took + 1 WHERE campaign = ?`},
		{"the manifest of campaign ", `UPDATE campaigns SET manifest = replace(manifest, 'a', 'b') WHERE id = ?`},
	} {
		s := open(t)
		first, second := record(t, s, "complete").ID, record(t, s, "complete").ID
		if done, err := s.db.Exec(c.flip, first); err != nil {
			t.Fatal(err)
		} else if n, _ := done.RowsAffected(); n == 0 {
			t.Fatalf("%s: nothing was flipped", c.flip)
		}
		var damaged *DamagedError
		if _, err := s.Campaign(t.Context(), first); !errors.As(err, &damaged) || !strings.Contains(err.Error(), c.what+first) {
			t.Errorf("%s: %v", c.flip, err)
		}
		if _, err := s.Campaign(t.Context(), second); err != nil {
			t.Errorf("%s: the other campaign: %v", c.flip, err)
		}
	}
}

// Who takes the checksum from a row does not make it one of before there were any, and an old
// campaign that went on has rows of both kinds.
func TestChecksumsTaken(t *testing.T) {
	for _, c := range []struct{ what, take string }{
		{"trial 2 of campaign ", `UPDATE trials SET sum = NULL, result = replace(result, '"offered":1000000', '"offered":9') WHERE number = 2 AND campaign = ?`},
		{"trial 3 of campaign ", `UPDATE trials SET sum = NULL WHERE campaign = ?`},
		{"result 2 of campaign ", `UPDATE results SET sum = NULL WHERE campaign = ?`},
		{"the manifest of campaign ", `UPDATE campaigns SET sum = NULL WHERE id = ?`},
	} {
		s := open(t)
		first, second := record(t, s, "complete").ID, record(t, s, "complete").ID
		if _, err := s.db.Exec(c.take, second); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if _, err := s.Campaign(t.Context(), second); !errors.As(err, &damaged) || !strings.Contains(err.Error(), c.what+second) {
			t.Errorf("%s: %v", c.take, err)
		}
		if _, err := s.Campaign(t.Context(), first); err != nil {
			t.Errorf("%s: the other campaign: %v", c.take, err)
		}
	}
}

// Bits that are flipped anywhere in the file are no reason to crash, and what is
// read in spite of them is what was recorded.
func TestFlippedOctets(t *testing.T) {
	s := open(t)
	want := record(t, s, "complete")
	if _, err := s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	all := func(c weir.Campaign) string { // but for its end and its name, which have no checksum
		text, err := json.Marshal([]any{c.Manifest, c.Results, c.Trials})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	noticed := 0
	for at := 16; at < len(whole); at += 509 { // some in each page
		flipped := append([]byte(nil), whole...)
		flipped[at] ^= 0x10
		path := filepath.Join(t.TempDir(), "weir.db")
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path)
		if err != nil {
			noticed++
			continue
		}
		c, err := s.Campaign(t.Context(), "latest")
		s.Close()
		if err != nil {
			noticed++
		} else if got := all(c); got != all(want) {
			t.Errorf("octet %d: another campaign than was recorded, without an error:\n%s", at, got)
		}
	}
	if noticed < 10 {
		t.Errorf("only %d of the flipped bits were noticed", noticed)
	}
}

func TestAbsurdVersions(t *testing.T) {
	for version, want := range map[int]any{-1: new(*DamagedError), -2147483648: new(*DamagedError), 2147483647: new(*NewerStoreError)} {
		s := open(t)
		if _, err := s.db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if _, err := Open(t.Context(), s.path); !errors.As(err, want) {
			t.Errorf("version %d: %v, want a %T", version, err, want)
		}
	}
}

// makeStoreOfBefore makes a store as it was written before rows had checksums.
func makeStoreOfBefore(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	first, err := migrations.ReadFile("migrations/0001.sql")
	if err != nil {
		t.Fatal(err)
	}
	trial := `INSERT INTO trials (campaign, number, purpose, traffic, intended, offered, forwarded, sent, received, loss, duration, warnings, result)
		VALUES ('old', 1, '', '64', 1, 1, 1, 1, 1, 0, 1, '', '{"offered": 5}');`
	if _, err := db.Exec(string(first) + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1;", applicationID) +
		`INSERT INTO campaigns (id, name, manifest) VALUES ('old', 'of before', '{}');` + trial + trial); err != nil { // the same number twice, as two processes did
		t.Fatal(err)
	}
	if err := errors.Join(db.Close(), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
}

// A store that was written before rows had checksums is read, and goes on; it is kept as it was.
func TestStoreOfBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weir.db")
	makeStoreOfBefore(t, path)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.Campaign(t.Context(), "old")
	if err != nil || len(c.Trials) != 2 || c.Trials[1].Offered != 5 {
		t.Errorf("%+v, %v", c, err)
	}
	n, err := s.Resume(t.Context(), "old")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(n.RecordManifest(t.Context(), weir.Manifest{}), n.RecordTrial(t.Context(), sampleTrial(2))); err != nil {
		t.Error(err)
	}
	if c, err := s.Campaign(t.Context(), "old"); err != nil || len(c.Trials) != 3 {
		t.Errorf("gone on with: %+v, %v", c, err)
	}
	if err := n.RecordTrial(t.Context(), sampleTrial(2)); err == nil || !strings.Contains(err.Error(), "another process measures it") {
		t.Errorf("a second trial of the same number: %v", err)
	}
	checkCopy(t, path)
}

// checkCopy checks that a store of the first version is kept, as it was, beside the one that it
// became, and that nothing else is there.
func checkCopy(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+".version-1?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var id, version, trials int
	if err := db.QueryRow(`SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM trials)`).Scan(&id, &version, &trials); err != nil || id != applicationID || version != 1 || trials != 2 {
		t.Errorf("the copy has id %x, version %d and %d trials: %v", id, version, trials, err)
	}
	found, err := filepath.Glob(filepath.Dir(path) + "/.weir-*")
	if err != nil || len(found) > 0 {
		t.Errorf("left behind: %q, %v", found, err)
	}
	if is, err := os.Stat(path + ".version-1"); err != nil || is.Mode().Perm() != 0o600 {
		t.Errorf("the copy may be read as %v, not as the store: %v", is.Mode(), err)
	}
}

// A copy that is there already stays: the first weir that changed the schema kept it.
func TestCopyStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weir.db")
	makeStoreOfBefore(t, path)
	if err := os.WriteFile(path+".version-1", []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if kept, err := os.ReadFile(path + ".version-1"); string(kept) != "kept" {
		t.Errorf("%q, %v", kept, err)
	}
}

func TestTrialNumbersAreUnique(t *testing.T) {
	s := open(t)
	a, b := begin(t, s, weir.Campaign{ID: "a"}), begin(t, s, weir.Campaign{ID: "b"})
	for _, n := range []*Session{a, b} {
		if err := n.RecordTrial(t.Context(), sampleTrial(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.RecordTrial(t.Context(), sampleTrial(1)); err == nil {
		t.Error("two trials of a campaign have the same number")
	}
}

// What checksums cost who reads a campaign of 10,000 runs.
func BenchmarkChecksums(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "weir.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	n, err := s.Begin(b.Context(), weir.Campaign{Name: "many"})
	if err != nil {
		b.Fatal(err)
	}
	results := make([]weir.Result, 10_000)
	for i := range results {
		results[i] = sampleResult(float64(i))
	}
	if err := n.RecordResults(b.Context(), results); err != nil {
		b.Fatal(err)
	}
	read := func(b *testing.B) {
		for b.Loop() {
			if c, err := s.Campaign(b.Context(), n.ID()); err != nil || len(c.Results) != len(results) {
				b.Fatal(len(c.Results), err)
			}
		}
	}
	b.Run("with", read)
	if _, err := s.db.Exec("UPDATE results SET sum = NULL"); err != nil {
		b.Fatal(err)
	}
	b.Run("without", read)
}

// A result that cannot be read is named with its campaign in a list, which has the others as ever.
func TestDamagedInList(t *testing.T) {
	for _, damage := range []string{
		`result = 'no JSON', method = 'mlrsearch'`, `result = json_set(result, '$.exceed_ratio', 'much'), method = 'mlrsearch'`,
		`result = json_set(result, '$.factors', 7)`, `result = json_set(result, '$.run', json('{"number": "one"}'))`, `result = '{'`,
	} {
		s := open(t)
		first, second := record(t, s, "complete").ID, record(t, s, "complete").ID
		if _, err := s.db.Exec(`UPDATE campaigns SET manifest = json_set(manifest, '$.imported', json('{}'), '$.experiment', json('{}'))`); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec(`UPDATE results SET `+damage+` WHERE seq = (SELECT min(seq) FROM results WHERE campaign = ?)`, first); err != nil {
			t.Fatal(err)
		}
		all, err := s.Overviews(t.Context(), 0, 10)
		if err != nil || len(all) != 2 {
			t.Errorf("%s: %v, %v", damage, all, err)
			continue
		}
		if o := all[0]; o.ID != second || o.Damaged != "" || len(o.Results) != 2 {
			t.Errorf("%s: the other campaign is %+v", damage, o)
		}
		if o := all[1]; o.ID != first || !strings.Contains(o.Damaged, "row 1 of results") || len(o.Results) != 1 {
			t.Errorf("%s: the campaign is %+v", damage, o)
		}
	}
}
