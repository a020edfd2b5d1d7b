package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every sender has its turn in each round, and over n rounds each has had every
// place.
func TestRotation(t *testing.T) {
	const n = 6
	places := make([]map[int]bool, n)
	for i := range places {
		places[i] = map[int]bool{}
	}
	for round := range n {
		order := rotation(n, round)
		for place, sender := range order {
			places[sender][place] = true
		}
		slices.Sort(order)
		if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5}, order); diff != "" {
			t.Errorf("round %d leaves some out: %s", round, diff)
		}
	}
	for sender, had := range places {
		if len(had) != n {
			t.Errorf("sender %d had only %d of %d places", sender, len(had), n)
		}
	}
	if diff := cmp.Diff([]int{2, 0, 1}, rotation(3, 5)); diff != "" {
		t.Error(diff)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{1e6, 1, 1, 1, 1e6}, 1},
	} {
		given := slices.Clone(c.values)
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v is %v, want %v", given, got, c.want)
		}
		if diff := cmp.Diff(given, c.values); diff != "" {
			t.Errorf("the rates' order was changed: %s", diff)
		}
	}
}

func TestRowKeepsGoodRounds(t *testing.T) {
	r := row{name: "x"}
	r.add(10, nil)
	r.add(0, errors.New("no luck"))
	r.add(20, nil)
	if diff := cmp.Diff([]float64{10, 20}, r.rates); diff != "" {
		t.Error(diff)
	}
	if r.message != "no luck" {
		t.Errorf("message %q", r.message)
	}
}

func TestChosen(t *testing.T) {
	rows := []row{{name: "a"}, {name: "b"}, {name: "c"}}
	if all, err := chosen(rows, ""); err != nil || len(all) != 3 || rows[0].left {
		t.Errorf("%v, %v", all, err)
	}
	some, err := chosen(rows, "c,a")
	if diff := cmp.Diff([]int{0, 2}, some); err != nil || diff != "" || !rows[1].left || rows[2].left {
		t.Error(err, diff)
	}
	var out strings.Builder
	if err := writeTable(&out, rows, nil); err != nil || strings.Contains(out.String(), "\nb ") || !strings.Contains(out.String(), "\nc ") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if _, err := chosen(rows, "a,d"); err == nil {
		t.Error("a sender that there is not was found")
	}
}
