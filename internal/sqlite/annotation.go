package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// An Annotation is what somebody says of a campaign, or of a change that begins at it.
type Annotation struct {
	Seq  int64 // in the order in which they were said, of all of the store
	Time time.Time
	Who  string
	Kind string // one of those below
	Text string // ""; it may have several lines
	Link string // ""; by http or https
}

// The kinds of annotations. Known, Ignored and Cleared are marks: the last one counts.
const (
	Known   = "known"  // this is known, and needs no attention
	Ignored = "ignore" // it does not count where campaigns are followed over time
	Cleared = "clear"  // no mark any more
	Noted   = "note"   // a note alone
)

// AnnotationKinds are all of them.
var AnnotationKinds = []string{Known, Ignored, Noted, Cleared}

// Bounds of annotations.
const (
	MostAnnotations = 100 // of a campaign
	longestWho      = 64
	LongestText     = 2000 // characters
	LongestLink     = 500
)

// MarkOf returns the mark that annotations, the oldest first, leave: Known, Ignored or "".
func MarkOf(all []Annotation) string {
	for _, a := range slices.Backward(all) {
		switch a.Kind {
		case Known, Ignored:
			return a.Kind
		case Cleared:
			return ""
		}
	}
	return ""
}

// InvalidError is what is wrong with what somebody has asked for.
type InvalidError struct{ Text string }

func (e *InvalidError) Error() string { return e.Text }

// check returns an *InvalidError for what is no annotation.
func (a Annotation) check() error {
	invalid := func(format string, args ...any) error { return &InvalidError{fmt.Sprintf(format, args...)} }
	link, err := url.Parse(a.Link)
	switch {
	case !slices.Contains(AnnotationKinds, a.Kind):
		return invalid("an annotation is no %q: it is one of %s", a.Kind, strings.Join(AnnotationKinds, ", "))
	case a.Kind == Noted && a.Text == "" && a.Link == "":
		return invalid("a note says something, or has a link: this one is empty")
	case !utf8.ValidString(a.Text + a.Link + a.Who):
		return invalid("the note is no text in UTF-8")
	case utf8.RuneCountInString(a.Text) > LongestText:
		return invalid("the note has %d characters: at most %d", utf8.RuneCountInString(a.Text), LongestText)
	case len(a.Who) > longestWho:
		return invalid("the name of who says so has %d letters: at most %d", len(a.Who), longestWho)
	case len(a.Link) > LongestLink:
		return invalid("the link has %d letters: at most %d", len(a.Link), LongestLink)
	case a.Link != "" && (err != nil || link.Scheme != "http" && link.Scheme != "https" || link.Host == "" || link.User != nil):
		return invalid("the link %.80q is no address of a page: it begins with https:// or http://, and has no password", a.Link)
	}
	return nil
}

// Annotate enters what somebody says of a campaign, by its whole id, and returns its Seq. The
// errors are an *InvalidError, an *UnknownCampaignError, and those of recording.
func (s *Store) Annotate(ctx context.Context, campaign string, a Annotation) (int64, error) {
	if err := a.check(); err != nil {
		return 0, err
	}
	at := a.Time.Unix()
	done, err := s.db.ExecContext(ctx, `INSERT INTO annotations (campaign, time, who, kind, text, link, sum)
		SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM campaigns WHERE id = ?1 AND (SELECT count(*) FROM annotations WHERE campaign = ?1) < ?8`,
		campaign, at, a.Who, a.Kind, a.Text, a.Link, sum(campaign, at, a.Who, a.Kind, a.Text, a.Link), MostAnnotations)
	if err != nil {
		return 0, s.wrap(err, "annotate a campaign in")
	}
	n, err := done.RowsAffected()
	if err != nil || n == 1 {
		seq, last := done.LastInsertId()
		return seq, s.wrap(errors.Join(err, last), "annotate a campaign in")
	}
	var known int
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM annotations WHERE campaign = ?`, campaign).Scan(&known)
	switch {
	case err != nil:
		return 0, s.wrap(err, "annotate a campaign in")
	case known >= MostAnnotations:
		return 0, &InvalidError{fmt.Sprintf("campaign %s has %d annotations: at most so many", campaign, known)}
	}
	return 0, &UnknownCampaignError{Path: s.path, ID: campaign}
}

// Annotations returns what was said of a campaign, by its whole id, the oldest first.
func (s *Store) Annotations(ctx context.Context, campaign string) (out []Annotation, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT seq, time, who, kind, text, link, sum FROM annotations WHERE campaign = ? ORDER BY seq`, campaign)
	if err != nil {
		return nil, s.wrap(err, "read")
	}
	defer rows.Close()
	for rows.Next() {
		var a Annotation
		var at int64
		var is sql.NullInt64
		if err := rows.Scan(&a.Seq, &at, &a.Who, &a.Kind, &a.Text, &a.Link, &is); err != nil {
			return nil, s.wrap(err, "read")
		}
		if err := s.intact(is, fmt.Sprintf("annotation %d of campaign %s", a.Seq, campaign), campaign, at, a.Who, a.Kind, a.Text, a.Link); err != nil {
			return nil, err
		}
		a.Time = time.Unix(at, 0)
		out = append(out, a)
	}
	return out, s.wrap(rows.Err(), "read")
}

// AnnotatedSince returns Version.ID of the campaigns of which something was said after an annotation, by its
// Seq, and the Seq of the last one.
func (s *Store) AnnotatedSince(ctx context.Context, seq int64) (campaigns []string, last int64, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT campaign, max(seq) FROM annotations WHERE seq > ? GROUP BY campaign`, seq)
	if err != nil {
		return nil, seq, s.wrap(err, "read")
	}
	defer rows.Close()
	last = seq
	for rows.Next() {
		var id string
		var at int64
		if err := rows.Scan(&id, &at); err != nil {
			return nil, seq, s.wrap(err, "read")
		}
		campaigns, last = append(campaigns, id), max(last, at)
	}
	return campaigns, last, s.wrap(rows.Err(), "read")
}
