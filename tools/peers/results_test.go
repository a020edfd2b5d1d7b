package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A machine that becomes ten times as slow changes no ratio, and a block in which
// one of the two lost its turn counts for none.
func TestRatio(t *testing.T) {
	r := results{turns: []turn{
		{Block: 1, Sender: "a", Rate: 200}, {Block: 1, Sender: "b", Rate: 100},
		{Block: 2, Sender: "b", Rate: 10}, {Block: 2, Sender: "a", Rate: 20},
		{Block: 3, Sender: "a", Lost: "no luck"}, {Block: 3, Sender: "b", Rate: 1e9},
		{Block: 4, Sender: "a", Rate: 1},
	}}
	q := r.ratio("a", "b")
	if q.Blocks != 2 || math.Abs(q.Ratio-2) > 1e-9 || math.Abs(q.Lower-2) > 1e-9 || math.Abs(q.Upper-2) > 1e-9 {
		t.Errorf("a in terms of b is %+v, want 2 from two blocks", q)
	}
	r.turns = append(r.turns, turn{Block: 4, Sender: "b", Rate: 1})
	q = r.ratio("a", "b")
	// The logarithms are ln 2, ln 2 and 0: Student's t of two degrees of freedom.
	if math.Abs(q.Ratio-math.Cbrt(4)) > 1e-9 || math.Abs(q.Upper-q.Ratio*math.Exp(4.302653*math.Ln2/3)) > 1e-5 {
		t.Errorf("a in terms of b is %+v", q)
	}
	if back := r.ratio("b", "a"); math.Abs(back.Lower*q.Upper-1) > 1e-9 {
		t.Errorf("there %+v, and back %+v", q, back)
	}
	r.turns = r.turns[:2]
	if diff := cmp.Diff("2.00", r.ratio("a", "b").text(1, 2)); diff != "" {
		t.Errorf("one block: %s", diff)
	}
	if diff := cmp.Diff("-", r.ratio("a", "c").text(1, 2)); diff != "" {
		t.Errorf("no block: %s", diff)
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
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.values, got, c.want)
		}
	}
}

func TestChosen(t *testing.T) {
	all := []string{"a", "b", "c"}
	for names, want := range map[string][]string{"": {"a", "b", "c"}, "c,a": {"a", "c"}} {
		got, err := chosen(all, names)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Error(names, err, diff)
		}
	}
	if _, err := chosen(all, "a,d"); err == nil {
		t.Error("a sender that there is not was found")
	}
}
