package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
		{at, "20261121-0433-800000-"},
		{at.Add(-30 * time.Second), "20261121-0433-000000-"},
		{at.Add(30*time.Second - 1), "20261121-0433-ffffff-"},
		{at.Add(time.Millisecond), "20261121-0433-800117-"},
	} {
		got := NewID(c.at)
		random, ok := strings.CutPrefix(got, c.want)
		if _, err := strconv.ParseUint(random, 16, 40); !ok || err != nil || len(random) != 10 {
			t.Errorf("NewID(%v) = %s, want %s and ten hexadecimal digits", c.at, got, c.want)
		}
	}
}

// As many campaigns as begin at one instant at many machines have as many ids.
func TestNewIDsOfManyMachinesDiffer(t *testing.T) {
	at, ids := time.Date(2026, 11, 21, 4, 33, 30, 0, time.UTC), map[string]bool{}
	for range 1000 {
		ids[NewID(at)] = true
	}
	if len(ids) != 1000 {
		t.Errorf("1000 campaigns have %d ids", len(ids))
	}
}

// A store of before keeps its ids, and knows them by their beginnings beside new ones.
func TestOldIDsBesideNewOnes(t *testing.T) {
	s := open(t)
	at := time.Date(2026, 11, 21, 4, 33, 29, 820_000_000, time.UTC)
	const old = "20261121-0433-7f3b"
	begin(t, s, weir.Campaign{ID: old})
	fresh := begin(t, s, weir.Campaign{ID: NewID(at)}).ID()
	if !strings.HasPrefix(fresh, old) {
		t.Fatalf("%s does not begin with %s, as this test needs it", fresh, old)
	}
	var ambiguous *AmbiguousCampaignError
	if _, err := s.Campaign(t.Context(), old[:len(old)-1]); !errors.As(err, &ambiguous) || len(ambiguous.Matches) != 2 {
		t.Errorf("the beginning of both: %v", err)
	}
	for given, want := range map[string]string{old: old, fresh[:len(old)+1]: fresh, fresh[:21]: fresh, fresh: fresh, "latest": fresh} {
		if c, err := s.Campaign(t.Context(), given); err != nil || c.ID != want {
			t.Errorf("Campaign(%q) is %s, %v; want %s", given, c.ID, err, want)
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
