package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// counts says how many rows the tables have.
func counts(t *testing.T, s *Store) (out string) {
	t.Helper()
	for _, table := range []string{"campaigns", "trials", "results", "annotations"} {
		var n int
		if err := s.db.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprint(n, " ")
	}
	return out
}

func TestForget(t *testing.T) {
	s := open(t)
	one, two, three := record(t, s, "complete"), record(t, s, ""), record(t, s, "interrupted")
	for _, id := range []string{one.ID, one.ID, two.ID} {
		if _, err := s.Annotate(t.Context(), id, Annotation{Kind: Known}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Forget(t.Context(), one.ID, "nope"); !errors.As(err, new(*UnknownCampaignError)) {
		t.Errorf("one that is not there: %v", err)
	}
	release, err := LockCampaign(s.path, two.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(t.Context(), one.ID, two.ID); err == nil || !strings.Contains(err.Error(), "is being measured") {
		t.Errorf("one that is being measured: %v", err)
	}
	if got := counts(t, s); got != "3 9 6 3 " {
		t.Errorf("after refusals there are %s", got)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(s.Pages(), 0o755), os.WriteFile(s.Page(two.ID), nil, 0o644), os.WriteFile(s.Page(three.ID), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Forget(t.Context(), two.ID, one.ID, two.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Forgotten{{two.ID, "a name", 3, 2, 1, true}, {one.ID, "a name", 3, 2, 2, false}}, got); diff != "" {
		t.Error(diff)
	}
	if left, err := os.ReadDir(s.Pages()); err != nil || len(left) != 1 || left[0].Name() != three.ID+".html" {
		t.Errorf("pages that are left: %v, %v", left, err)
	}
	if got := counts(t, s); got != "1 3 2 0 " {
		t.Errorf("left are %s", got)
	}
	if _, err := s.Campaign(t.Context(), three.ID); err != nil {
		t.Errorf("the one that stays: %v", err)
	}
	if again, err := LockCampaign(s.path, one.ID); err != nil {
		t.Errorf("one that is gone is still reserved: %v", err)
	} else {
		again()
	}
}

// A campaign with many trials is deleted in pieces; one of which a part is gone says so, and is deleted by
// another try.
func TestForgetMany(t *testing.T) {
	s := open(t)
	many, other := record(t, s, "complete"), record(t, s, "complete")
	const n = 2*forgetAtOnce + 3
	_, err := s.db.Exec(`WITH RECURSIVE n (i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO trials SELECT NULL, campaign, i, purpose, traffic, intended, offered, forwarded, sent, received, loss, duration, warnings, result, NULL
		FROM n, trials WHERE campaign = ? AND number = 1`, n, many.ID)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Forget(gone, many.ID); err == nil || errors.As(err, new(*PartlyDeletedError)) {
		t.Errorf("before anything of it is gone: %v", err)
	}
	if _, err := s.db.Exec(`CREATE TEMP TRIGGER interrupt BEFORE DELETE ON trials WHEN old.number = 5 BEGIN SELECT raise(ABORT, 'interrupted after a piece'); END`); err != nil {
		t.Fatal(err)
	}
	half := &PartlyDeletedError{}
	if _, err := s.Forget(t.Context(), other.ID, many.ID); !errors.As(err, &half) || half.ID != many.ID || half.Left != n-forgetAtOnce || !strings.Contains(err.Error(), "after a piece") {
		t.Errorf("after a piece of it is gone: %v", err)
	}
	if o, err := s.Overview(t.Context(), many.ID); err != nil || o.Trials != n-forgetAtOnce || !strings.Contains(o.Ended, "delete it again") || len(o.Results) != 2 {
		t.Errorf("with a part of it gone it is %+v, %v", o, err)
	}
	for _, plan := range []string{"", many.Manifest.Plan} {
		if id, err := s.Unfinished(t.Context(), plan); id == many.ID {
			t.Errorf("it is to be measured on: %v", err)
		}
	}
	if _, err := s.Resume(t.Context(), many.ID); !errors.As(err, &half) || half.Left != n-forgetAtOnce {
		t.Errorf("it is measured on: %v", err)
	}
	if _, err := s.db.Exec(`DROP TRIGGER interrupt`); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Forget(t.Context(), many.ID); err != nil || len(all) != 1 || all[0].Trials != n-forgetAtOnce {
		t.Errorf("deleted again: %v, %v", all, err)
	}
	if got := counts(t, s); got != "1 3 2 0 " {
		t.Errorf("left are %s", got)
	}
	if _, err := s.Campaign(t.Context(), other.ID); err != nil {
		t.Errorf("the other one: %v", err)
	}
}

func TestBefore(t *testing.T) {
	s := open(t)
	c, broken := record(t, s, "complete"), record(t, s, "complete")
	if _, err := s.db.Exec(`UPDATE campaigns SET manifest = 'no JSON' WHERE id = ?`, broken.ID); err != nil {
		t.Fatal(err)
	}
	for moment, want := range map[time.Time][]string{c.Manifest.Started: nil, c.Manifest.Started.Add(time.Second): {c.ID}} {
		if ids, err := s.Before(t.Context(), moment); err != nil || !cmp.Equal(ids, want) {
			t.Errorf("before %v began %v, %v", moment, ids, err)
		}
	}
}

func TestWholeID(t *testing.T) {
	s := open(t)
	c := record(t, s, "complete")
	for _, given := range []string{c.ID, c.ID[:18], c.ID[len(c.ID)-6:]} {
		if id, err := s.WholeID(t.Context(), given); err != nil || id != c.ID {
			t.Errorf("%q is %q, %v", given, id, err)
		}
	}
	record(t, s, "complete")
	if _, err := s.WholeID(t.Context(), c.ID[:4]); !errors.As(err, new(*AmbiguousCampaignError)) {
		t.Errorf("the beginning of two: %v", err)
	}
	if _, err := s.WholeID(t.Context(), "nope"); !errors.As(err, new(*UnknownCampaignError)) {
		t.Errorf("of none: %v", err)
	}
}
