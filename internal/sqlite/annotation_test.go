package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAnnotations(t *testing.T) {
	s := open(t)
	one, other := record(t, s, "complete"), record(t, s, "complete")
	at := time.Unix(1_790_000_000, 0)
	said := []Annotation{
		{Time: at, Who: "ci", Kind: Noted, Text: "<b>two\nlines", Link: "https://example.org/1?a=b"},
		{Time: at, Who: "me", Kind: Ignored},
		{Time: at, Who: "me", Kind: Noted, Text: "again"},
	}
	for i, a := range said {
		seq, err := s.Annotate(t.Context(), one.ID, a)
		if err != nil {
			t.Fatal(err)
		}
		said[i].Seq = seq
	}
	got, err := s.Annotations(t.Context(), one.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(said, got); diff != "" {
		t.Error(diff)
	}
	o, err := s.Overview(t.Context(), one.ID)
	if err != nil || MarkOf(o.Notes) != Ignored || o.LastNote != said[2].Seq {
		t.Errorf("the overview has the mark %q, version %+v, %v", MarkOf(o.Notes), o.Version, err)
	}
	if o, err = s.Overview(t.Context(), other.ID); err != nil || o.Notes != nil || o.LastNote != 0 {
		t.Errorf("the other campaign has %v, %v", o.Notes, err)
	}
	if MarkOf(append(said, Annotation{Kind: Known})) != Known || MarkOf(append(said, Annotation{Kind: Cleared})) != "" {
		t.Error("the last mark does not count")
	}
	ids, last, err := s.AnnotatedSince(t.Context(), said[1].Seq)
	if err != nil || len(ids) != 1 || ids[0] != one.ID || last != said[2].Seq {
		t.Errorf("since the second one there are %v, %d, %v", ids, last, err)
	}
	if ids, last, err = s.AnnotatedSince(t.Context(), last); err != nil || ids != nil || last != said[2].Seq {
		t.Errorf("since the last one there are %v, %d, %v", ids, last, err)
	}
}

func TestNoAnnotation(t *testing.T) {
	s := open(t)
	c := record(t, s, "complete")
	note := func(text, link string) Annotation { return Annotation{Kind: Noted, Text: text, Link: link} }
	for _, a := range []Annotation{
		{Kind: "good"}, {}, note("", ""), note("\xff", ""), note(strings.Repeat("x", LongestText+1), ""), note("x", "https://a/"+strings.Repeat("x", LongestLink)),
		note("x", "javascript:alert(1)"), note("x", "data:text/html,x"), note("x", "//example.org"), note("x", "/c/1"), note("x", "https://"), note("x", "https://me:secret@example.org/"),
		note("x", "https://exa mple.org"), {Kind: Known, Who: strings.Repeat("x", 65)},
	} {
		if _, err := s.Annotate(t.Context(), c.ID, a); !errors.As(err, new(*InvalidError)) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if _, err := s.Annotate(t.Context(), "nope", note("x", "")); !errors.As(err, new(*UnknownCampaignError)) {
		t.Errorf("of a campaign that is not there: %v", err)
	}
	for i := range MostAnnotations {
		if _, err := s.Annotate(t.Context(), c.ID, note(fmt.Sprint(i), "")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Annotate(t.Context(), c.ID, note("one more", "")); !errors.As(err, new(*InvalidError)) || !strings.Contains(err.Error(), "at most so many") {
		t.Errorf("one more than there may be: %v", err)
	}
	if _, err := s.db.Exec(`UPDATE annotations SET text = 'another' WHERE seq = 3`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Annotations(t.Context(), c.ID); !errors.As(err, new(*DamagedError)) {
		t.Errorf("one that was changed: %v", err)
	}
}
