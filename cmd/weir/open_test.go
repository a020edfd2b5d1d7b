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
	for file, campaigns := range map[string]int{"": 2, "table.csv": 1, "page": 1} {
		if err := canOpen(file, campaigns); err == nil {
			t.Errorf("%d campaigns in %q can be opened", campaigns, file)
		}
	}
}
