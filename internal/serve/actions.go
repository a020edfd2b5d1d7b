package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"weir/internal/plan"
	"weir/internal/sqlite"
	"weir/internal/tokens"
)

const (
	mostForm  = 32 << 10             // octets of a form
	mostPlan  = 4 * plan.LongestPlan // as a form writes it
	writeTime = 20 * time.Second
	seenTime  = 3 * time.Second // that an answer waits until the pages show what was done
)

// An action is what people do with a scope: a page with a form, or what the form sends.
type action struct {
	scope   tokens.Scope
	pattern string
	most    int64 // octets that a request brings
	answer  func(*Server, http.ResponseWriter, *http.Request, tokens.Token) error
	link    string // what leads to a form; ""
}

// actions is the table of all of them. To add one, write it in a file of its own and enter it here.
var actions = []action{
	{tokens.Annotate, "GET /c/{id}/annotate", 0, (*Server).annotateForm, "Annotate"},
	{tokens.Annotate, "POST /c/{id}/annotate", mostForm, (*Server).annotate, ""},
	{tokens.Run, "GET /measure", 0, (*Server).measureForm, "Measure"},
	{tokens.Run, "POST /measure", mostPlan, (*Server).measure, ""},
	{tokens.Run, "GET /measure/{number}", 0, (*Server).showJob, ""},
	{tokens.Run, "POST /measure/{number}/stop", mostForm, (*Server).stop, ""},
	{tokens.Import, "GET /import", 0, (*Server).importForm, "Import"},
	{tokens.Import, "POST /import", mostImport + mostForm, (*Server).importFile, ""},
	{tokens.Delete, "GET /c/{id}/delete", 0, (*Server).deleteForm, "Delete"},
	{tokens.Delete, "POST /c/{id}/delete", mostForm, (*Server).delete, ""},
}

// showForm answers with a page that has a form, for whoever has signed in.
func (s *Server) showForm(w http.ResponseWriter, req *http.Request, status int, name, title string, body any) error {
	f := frame{Title: "weir: " + title, Root: root(req), Nav: s.nav(root(req))}
	if req.Header.Get("Authorization") == "" {
		if who, err := s.access.visitor(req); err == nil {
			f.Who = who.Name
			f.Nav = f.Nav[:len(f.Nav)-1] // there is no need to sign in
		}
	}
	var b bytes.Buffer
	if err := write(&b, name, f, body); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, err := b.WriteTo(w)
	return err
}

// change opens the store for writing, for as long as something is done with it, by one at a time.
func (s *Server) change(ctx context.Context, do func(context.Context, *sqlite.Store) error) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	select {
	case s.write <- struct{}{}:
	case <-ctx.Done():
		return statusError{http.StatusServiceUnavailable, "others write to the store just now: try again"}
	}
	defer func() { <-s.write }()
	store, err := sqlite.Open(ctx, s.Store)
	if err == nil {
		err = errors.Join(do(ctx, store), store.Close())
	}
	return changeError(err)
}

// changeError says for a reader of pages why the store was not changed.
func changeError(err error) error {
	wrong, busy, half := &sqlite.InvalidError{}, &sqlite.UnderWayError{}, &sqlite.PartlyDeletedError{}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return statusError{http.StatusUnprocessableEntity, wrong.Text}
	case errors.As(err, &busy):
		return statusError{http.StatusConflict, fmt.Sprintf("campaign %s is being measured: wait for its end, or stop that; nothing was changed", busy.ID)}
	case errors.As(err, new(*sqlite.UnknownCampaignError)):
		return statusError{http.StatusNotFound, err.Error()}
	case errors.As(err, &half): // whatever kept it from being deleted as a whole
		return statusError{http.StatusServiceUnavailable, fmt.Sprintf("campaign %s is deleted in part, and %d of its trials are left: delete it again (%v)", half.ID, half.Left, half.Err)}
	case errors.As(err, new(*sqlite.FullError)):
		return statusError{http.StatusInsufficientStorage, "nothing was changed: " + err.Error()}
	}
	return statusError{http.StatusServiceUnavailable, "nothing was changed: " + err.Error()}
}

// await waits a moment until the pages show what was done.
func (x *index) await(ctx context.Context, there func() bool) {
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	for {
		next := x.next()
		if there() {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
			return
		}
	}
}
