package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"weir/internal/testenv"
)

// What weir leaves belongs to the user that called sudo, in folders of theirs.
func TestCallerGetsTheReport(t *testing.T) {
	testenv.NeedRoot(t)
	const uid, gid = 4242, 4243
	t.Setenv("SUDO_UID", "4242")
	t.Setenv("SUDO_GID", "4243")
	folder := t.TempDir()
	if err := os.Chown(folder, uid, gid); err != nil {
		t.Fatal(err)
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
