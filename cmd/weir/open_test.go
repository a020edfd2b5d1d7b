package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page is shown by the program that a desktop has for that; where there is none, weir serve is.
func TestOpenPage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	page := filepath.Join(folder, "a page.html")
	if err := (&app{out: io.Discard}).openPage(t.Context(), page); err == nil || !strings.Contains(err.Error(), "weir serve shows it") {
		t.Errorf("without a program: %v", err)
	}
	script := "#!/bin/sh\nprintf %s \"$1\" >" + filepath.Join(folder, "shown") + "\n"
	if err := os.WriteFile(filepath.Join(folder, opener()), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (&app{out: io.Discard}).openPage(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "shown")); err != nil || string(got) != page {
		t.Errorf("shown was %q, %v", got, err)
	}
}

func TestCanOpen(t *testing.T) {
	for _, c := range []struct {
		uid       int
		file      string
		campaigns int
		want      string
	}{
		{1000, "", 1, ""}, {1000, "page.html", 2, ""}, {0, "page.html", 1, "root opens no browser"},
		{1000, "", 2, "needs a file"}, {1000, "table.csv", 1, "table.csv would be none"}, {1000, "page", 1, "page would be none"},
	} {
		if err := canOpen(c.uid, c.file, c.campaigns); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("user %d, %q, %d campaigns: %v and not %q", c.uid, c.file, c.campaigns, err, c.want)
		}
	}
}
