package serve

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"weir/internal/sqlite"
	"weir/internal/tokens"
)

// A campaign is deleted by who may, after a question, and by nobody while it is measured.
func TestDelete(t *testing.T) {
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Annotate, tokens.Delete}})
	path := "/c/" + s.id + "/delete"
	s.signIn(tokens.Annotate)
	if _, answer := s.send(path, url.Values{}); answer.StatusCode != 403 {
		t.Errorf("a session of another scope: %d", answer.StatusCode)
	}
	s.signIn(tokens.Delete)
	if text, answer := s.send(path, nil); answer.StatusCode != 200 || !strings.Contains(text, "Delete one?") || !strings.Contains(text, "2 results and 0 annotations") {
		t.Errorf("the question is %d, %s", answer.StatusCode, text)
	}
	release, err := sqlite.LockCampaign(s.path, s.id)
	if err != nil {
		t.Fatal(err)
	}
	if text, answer := s.send(path, url.Values{}); answer.StatusCode != 409 || !strings.Contains(text, s.id+" is being measured: wait for its end") {
		t.Errorf("while it is measured: %d, %s", answer.StatusCode, text)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, answer := s.get("/c/" + s.id); answer.StatusCode != 200 {
		t.Errorf("after refusals its page is %d", answer.StatusCode)
	}
	if text, answer := s.send(path, url.Values{}); answer.StatusCode != 200 || !strings.Contains(text, s.id+" is deleted") {
		t.Errorf("deleted: %d, %s", answer.StatusCode, text)
	}
	for _, path := range []string{path, "/c/" + s.id} {
		if _, answer := s.send(path, nil); answer.StatusCode != 404 {
			t.Errorf("after that %s is %d", path, answer.StatusCode)
		}
	}
	if text, _ := s.get("/"); strings.Contains(text, s.id) {
		t.Error("the list has it still")
	}
}

// What somebody began to delete is deleted, whether they wait for it or not.
func TestDeleteToTheEnd(t *testing.T) {
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Delete}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if gone, err := s.forget(ctx, s.id, tokens.Token{Name: "anna"}); err != nil || gone.ID != s.id {
		t.Errorf("deleted was %+v, %v", gone, err)
	}
	if _, err := s.store.Campaign(t.Context(), s.id); !errors.As(err, new(*sqlite.UnknownCampaignError)) {
		t.Errorf("the campaign: %v", err)
	}
}

// A campaign that is deleted in part is said to be so, also where the disk is full.
func TestDeletedInPart(t *testing.T) {
	for _, why := range []error{context.DeadlineExceeded, &sqlite.FullError{Path: "weir.db", Err: context.Canceled}} {
		err := changeError(&sqlite.PartlyDeletedError{ID: "x", Left: 503, Err: why})
		if err.(statusError).status != 503 || !strings.Contains(err.Error(), "503 of its trials are left: delete it again") || strings.Contains(err.Error(), "nothing was changed") {
			t.Error(err)
		}
	}
}
