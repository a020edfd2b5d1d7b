package serve

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weir/internal/testenv"
	"weir/internal/tokens"
)

// Where the disk is full, a note stays in the form with why, pages go on, and nothing is lost; once there is
// room it is entered.
func TestFullDisk(t *testing.T) {
	testenv.NeedRoot(t)
	disk := t.TempDir()
	if err := syscall.Mount("weir", disk, "tmpfs", 0, "size=4m,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := newActionSiteOf(t, filepath.Join(disk, "weir.db"), Options{Allow: []tokens.Scope{tokens.Annotate}})
	id := s.id
	s.signIn(tokens.Annotate)
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for octets := make([]byte, 4096); err == nil; {
		_, err = filler.Write(octets)
	}
	if !errors.Is(err, syscall.ENOSPC) || filler.Close() == nil && err == nil {
		t.Fatal(err)
	}
	form := url.Values{"kind": {"known"}, "text": {"remember this"}}
	text, answer := s.send("/c/"+id+"/annotate", form)
	if answer.StatusCode != 507 || !strings.Contains(text, "remember this") || !strings.Contains(text, "free some space") {
		t.Errorf("on a full disk: %d, %s", answer.StatusCode, text)
	}
	for _, page := range []string{"/", "/c/" + id, "/c/" + id + "/annotate"} {
		if text, answer := s.send(page, nil); answer.StatusCode != 200 || !strings.Contains(text, id) {
			t.Errorf("then %s is %d", page, answer.StatusCode)
		}
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	if text, answer := s.send("/c/"+id+"/annotate", form); answer.StatusCode != 303 {
		t.Errorf("with room again: %d, %s", answer.StatusCode, text)
	}
	if all, err := s.store.Annotations(t.Context(), id); err != nil || len(all) != 1 || all[0].Text != "remember this" {
		t.Errorf("entered is %v, %v", all, err)
	}
}
