package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weir/internal/sqlite"
	"weir/internal/testenv"
)

// What weir leaves belongs to the user that called sudo, in folders of theirs.
func TestCallerGetsTheReport(t *testing.T) {
	testenv.NeedRoot(t)
	const uid, gid = 4242, 4243
	t.Setenv("SUDO_UID", "4242")
	t.Setenv("SUDO_GID", "4243")
	folder := t.TempDir()
	for _, err := range []error{os.Chown(folder, uid, gid), os.Chmod(filepath.Dir(folder), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	plan := filepath.Join(folder, "plan.yaml")
	if err := os.WriteFile(plan, []byte("testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [frmol]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), "of root") // a folder of root's: what is in it stays root's
	for _, c := range []struct {
		store string
		uid   uint32
	}{{filepath.Join(folder, "data", "weir.db"), uid}, {filepath.Join(mine, "weir.db"), 0}} {
		var said bytes.Buffer
		if code := run(t.Context(), []string{"run", "--quiet", "--store", c.store, plan}, nil, io.Discard, &said); code != exitOK {
			t.Fatalf("exit code %d: %s", code, said.String())
		}
		seen := 0
		err := filepath.WalkDir(filepath.Dir(c.store), func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			seen++
			if s := info.Sys().(*syscall.Stat_t); s.Uid != c.uid {
				t.Errorf("%s belongs to user %d, not %d", path, s.Uid, c.uid)
			}
			return nil
		})
		if err != nil || seen < 5 { // two folders, the store, its locks, the report
			t.Errorf("%d files and folders, %v", seen, err)
		}
	}
}

// Root goes on with a campaign only where nobody else could have written its plan, and no id in a
// store is a path.
func TestPlanOfOthers(t *testing.T) {
	testenv.NeedRoot(t)
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o755); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	plan, store := filepath.Join(folder, "plan.yaml"), filepath.Join(folder, "weir.db")
	if err := os.WriteFile(plan, []byte("testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [frmol]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	weir := func(args ...string) (int, string) {
		var text bytes.Buffer
		code := run(t.Context(), append(args, "--quiet", "--store", store), nil, &text, &text)
		return code, text.String()
	}
	if code, text := weir("run", plan); code != exitOK {
		t.Fatal(text)
	}
	s, err := sqlite.Open(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Campaigns(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	id := all[0].ID
	c, err := s.Campaign(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.ID = "../../id"
	if _, err := s.Begin(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if code, text := weir("run", "--resume="+id); code != exitOK || !strings.Contains(text, "nothing was measured") || !strings.Contains(text, "is complete") {
		t.Errorf("of root alone: %d, %s", code, text)
	}
	if err := os.Chmod(store, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, text := weir("run", "--resume"); code != exitError || !strings.Contains(text, "root records nothing in the store "+store+": others may write to "+store) {
		t.Errorf("of anybody: %d, %s", code, text)
	}
	if err := os.Chmod(store, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text := weir("run", "--resume="+c.ID); code != exitError || !strings.Contains(text, "not one that weir gives") {
		t.Errorf("with an id that is a path: %d, %s", code, text)
	}
}
