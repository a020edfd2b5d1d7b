package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"weir/internal/sqlite"
	"weir/internal/tokens"
	"weir/internal/visible"
)

// mostSaid is how many letters of a note a table shows.
const mostSaid = 80

// kindWords says in words what an annotation does.
func kindWords(kind string) string {
	switch kind {
	case sqlite.Known:
		return "known"
	case sqlite.Ignored:
		return "ignored in histories"
	case sqlite.Cleared:
		return "mark taken back"
	}
	return "note"
}

// Mark returns the mark that a campaign has: sqlite.Known, sqlite.Ignored or "".
func (e *entry) Mark() string { return sqlite.MarkOf(e.Notes) }

// Said says in a line what people have said of a campaign last: its mark and the note.
func (e *entry) Said() string {
	var all []string
	if m := e.Mark(); m != "" {
		all = append(all, kindWords(m))
	}
	for i := len(e.Notes) - 1; i >= 0; i-- {
		if text := e.Notes[i].Text; text != "" {
			line := []rune(visible.Line(strings.Join(strings.Fields(text), " ")))
			if len(line) > mostSaid {
				line = append(line[:mostSaid], '…')
			}
			all = append(all, string(line))
			break
		}
	}
	return strings.Join(all, ": ")
}

// notes writes what was said of a campaign, for the head of its page.
func notes(e *entry) (string, error) {
	if len(e.Notes) == 0 {
		return "", nil
	}
	var b bytes.Buffer
	err := siteTemplate.ExecuteTemplate(&b, "notes", e)
	return b.String(), err
}

// An annotatePage is the form that says something of a campaign.
type annotatePage struct {
	*entry
	Kind, Text, Link string // as somebody has filled it in
	Wrong            string
	MostText         int
}

// annotateForm answers with the form that says something of a campaign.
func (s *Server) annotateForm(w http.ResponseWriter, req *http.Request, _ tokens.Token) error {
	e, err := s.index.find(req.PathValue("id"))
	if err != nil {
		return err
	}
	return s.showAnnotate(w, req, http.StatusOK, annotatePage{entry: e, Kind: sqlite.Noted})
}

func (s *Server) showAnnotate(w http.ResponseWriter, req *http.Request, status int, p annotatePage) error {
	p.MostText = sqlite.LongestText
	return s.showForm(w, req, status, "annotate", "annotate "+p.ID, p)
}

// annotate enters what somebody says of a campaign. What could not be entered stays in the form.
func (s *Server) annotate(w http.ResponseWriter, req *http.Request, who tokens.Token) error {
	if err := req.ParseForm(); err != nil {
		return unreadable(err)
	}
	f := req.PostForm
	e, err := s.note(req.Context(), req.PathValue("id"), who, sqlite.Annotation{Kind: f.Get("kind"), Text: f.Get("text"), Link: f.Get("link")})
	if wrong := (statusError{}); e != nil && errors.As(err, &wrong) {
		return s.showAnnotate(w, req, wrong.status, annotatePage{entry: e, Kind: f.Get("kind"), Text: f.Get("text"), Link: f.Get("link"), Wrong: wrong.text})
	}
	if err != nil {
		return err
	}
	seeOther(w, "../"+e.ID)
	return nil
}

// note enters what somebody says of a campaign, and waits for the pages to show it. With an error it
// returns the campaign, if there is one.
func (s *Server) note(ctx context.Context, id string, who tokens.Token, a sqlite.Annotation) (*entry, error) {
	e, err := s.index.find(id)
	if err != nil {
		return nil, err
	}
	a.Who, a.Time = who.Name, time.Now()
	a.Text, a.Link = strings.TrimSpace(strings.ReplaceAll(a.Text, "\r\n", "\n")), strings.TrimSpace(a.Link)
	if !utf8.ValidString(a.Text) {
		return e, statusError{http.StatusUnprocessableEntity, "the note is no text in UTF-8"}
	}
	var seq int64
	err = s.change(ctx, func(ctx context.Context, store *sqlite.Store) (err error) {
		seq, err = store.Annotate(ctx, e.ID, a)
		return err
	})
	if err != nil {
		return e, fmt.Errorf("annotate campaign %s: %w", e.ID, err)
	}
	s.Log.Info("annotated", "who", who.Name, "campaign", e.ID, "kind", a.Kind)
	s.index.await(ctx, func() bool { now, err := s.index.find(e.ID); return err != nil || now.LastNote >= seq })
	return e, nil
}
