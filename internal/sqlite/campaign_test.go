package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestNewID(t *testing.T) {
	at := time.Date(2026, 11, 21, 5, 33, 30, 0, time.FixedZone("CET", 3600))
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{at, "20261121-0433-8000"},
		{at.Add(-30 * time.Second), "20261121-0433-0000"},
		{at.Add(30*time.Second - 1), "20261121-0433-ffff"},
		{at.Add(time.Millisecond), "20261121-0433-8001"},
	} {
		if got := NewID(c.at); got != c.want {
			t.Errorf("NewID(%v) = %s, want %s", c.at, got, c.want)
		}
	}
}

func TestNewIDsDiffer(t *testing.T) {
	s := open(t)
	var ids []string
	for range 20 {
		ids = append(ids, begin(t, s, weir.Campaign{}).ID())
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("ids are not distinct and in order: %v", ids)
	}
	if _, err := s.Begin(t.Context(), weir.Campaign{ID: ids[3]}); err == nil {
		t.Errorf("%s was begun twice", ids[3])
	}
}

func TestResolve(t *testing.T) {
	s := open(t)
	var unknown *UnknownCampaignError
	if _, err := s.Campaign(t.Context(), "latest"); !errors.As(err, &unknown) || len(unknown.Known) != 0 {
		t.Errorf("the empty store says %v", err)
	}
	for _, id := range []string{"a1", "a1b", "b%2", "c3", "c4", "c5", "c6"} {
		begin(t, s, weir.Campaign{ID: id})
	}
	for _, c := range []struct{ given, want string }{
		{"", "c6"}, {"latest", "c6"}, {"c3", "c3"}, {"b", "b%2"}, {"b%2", "b%2"},
		{"a1", "a1"}, // whole, although it begins another
		{"a1b", "a1b"},
	} {
		got, err := s.Campaign(t.Context(), c.given)
		if err != nil || got.ID != c.want {
			t.Errorf("Campaign(%q) is %s, %v; want %s", c.given, got.ID, err, c.want)
		}
	}
	_, err := s.Campaign(t.Context(), "%")
	want := fmt.Sprintf(`no campaign "%%" in store %s; the newest there: c6, c5, c4, c3, b%%2`, s.path)
	if !errors.As(err, &unknown) || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	_, err = s.Campaign(t.Context(), "c")
	if diff := cmp.Diff(`several campaigns begin with "c": c6, c5, c4, c3; give more of the id`, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
}
