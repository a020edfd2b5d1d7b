package serve

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weir"
)

// An export is whole: every link of its pages leads to a file of it.
func TestExport(t *testing.T) {
	s := newSite(t)
	o := Options{Store: s.path, Log: slog.New(slog.DiscardHandler)}
	if _, err := Export(t.Context(), o, t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no campaign") {
		t.Errorf("an empty store: %v", err)
	}
	id := s.measure("one", nil)
	s.measure("one", nil)
	folder := filepath.Join(t.TempDir(), "site")
	n, err := Export(t.Context(), o, folder)
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`(?:href|src)="([^"#]+)`)
	files, links := 0, 0
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(file)
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			links++
			if to := found[1]; strings.Contains(to, "?") || strings.Contains(to, ":") {
				t.Errorf("%s leads to %s", file, to)
			} else if _, err := os.Stat(filepath.Join(filepath.Dir(file), to)); err != nil {
				t.Error(err)
			}
		}
		if strings.Contains(string(text), "<form") || strings.Contains(string(text), "data-live") {
			t.Errorf("%s asks a server", file)
		}
		return nil
	})
	if err != nil || files != n || links < 20 {
		t.Errorf("%d files and not %d, %d links, %v", files, n, links, err)
	}
	for _, name := range []string{"index.html", "c/" + id + ".html", "c/" + id + "/report.json", "c/" + id + "/badge.svg", "static/weir.css"} {
		if is, err := os.Stat(filepath.Join(folder, name)); err != nil || is.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run of an imported campaign of one arm has a history, where the list leads to, also in an export.
func TestExportImported(t *testing.T) {
	s := newSite(t)
	n, err := s.store.Begin(t.Context(), weir.Campaign{Name: "a.json, imported", Manifest: weir.Manifest{Testbed: "imported", Imported: &weir.Imported{Format: "iperf3", Source: "a.json"}}})
	if err == nil {
		err = n.RecordResults(t.Context(), []weir.Result{{Method: "imported", Value: 941e6, Unit: "bit/s", Factors: weir.Factors{"frame_size": weir.NotSaid, "direction": "forward"}, Run: weir.Run{Number: 1, Arm: "A"}}})
	}
	if err == nil {
		err = n.End(t.Context(), weir.EndedComplete)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if _, err := Export(t.Context(), Options{Store: s.path, Log: slog.New(slog.DiscardHandler)}, folder); err != nil {
		t.Fatal(err)
	}
	if all, err := filepath.Glob(filepath.Join(folder, "history-*.html")); err != nil || len(all) != 1 {
		t.Errorf("the histories are %v, %v", all, err)
	}
}

// An export that is too large leaves nothing.
func TestExportTooLarge(t *testing.T) {
	s := newSite(t)
	s.measure("one", nil)
	defer func(most int) { mostExport = most }(mostExport)
	mostExport = 5
	folder := filepath.Join(t.TempDir(), "site")
	if _, err := Export(t.Context(), Options{Store: s.path, Log: slog.New(slog.DiscardHandler)}, folder); err == nil || !strings.Contains(err.Error(), "more than 5 files, and nothing was written") {
		t.Errorf("six files: %v", err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// Ids of a store of others name no file elsewhere.
func TestPageFile(t *testing.T) {
	for id, want := range map[string]bool{"20261130-1606-a95a9b-742ee80a01": true, "X?/../../../evil": false, "../x": false, "a#b": false, ".": false, "": false} {
		if got := pageFile(id); (got == id) != want || !filepath.IsLocal("c/"+got+".html") || strings.ContainsAny(got, "/?#") {
			t.Errorf("%q has the file %q", id, got)
		}
	}
}
