package figures

import (
	"slices"
	"testing"

	"weir"
)

// Claims are checked again from as many trials as may be read, those that results share once;
// of what has more the recorded claim stands, and is marked.
func TestClaimedOf(t *testing.T) {
	result := func(first, last int) weir.Result {
		return weir.Result{Method: "frmol", First: first, Last: last, Claim: weir.Claim{Name: "recorded"}}
	}
	all := weir.Campaign{Results: []weir.Result{result(1, 4), result(1, 4), result(3, 6), result(7, 1_000_006), result(1_000_007, 1_000_008), {Method: "frmol", Claim: weir.Claim{Name: "of an older weir"}}}}
	for _, tt := range []struct {
		name       string
		only, most int
		read       [][2]int
		trials     []int // of each result
		unchecked  []int
	}{
		{"all that fit", 0, 8, [][2]int{{1, 4}, {5, 6}, {7, 7}, {1_000_007, 1_000_008}}, []int{4, 4, 4, 0, 2, 0}, []int{4}},
		{"no more are left", 0, 6, [][2]int{{1, 4}, {5, 6}, {7, 7}, {1_000_007, 1_000_007}}, []int{4, 4, 4, 0, 0, 0}, []int{4, 5}},
		{"one", 5, 8, [][2]int{{1_000_007, 1_000_008}}, []int{2}, nil},
		{"one of too many", 4, 8, [][2]int{{7, 7}}, []int{0}, []int{4}},
	} {
		var read [][2]int
		c := all
		got, _, err := ClaimedOf(&c, tt.only, tt.most, func(first, last int) (trials []weir.TrialResult, err error) {
			read = append(read, [2]int{first, last})
			for n := first; n <= last; n++ {
				trials = append(trials, weir.TrialResult{Trial: weir.Trial{Number: n, Purpose: "frmol", Maximum: true}})
			}
			return trials, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(read, tt.read) {
			t.Errorf("%s: read the trials %v, want %v", tt.name, read, tt.read)
		}
		for i, k := range got {
			if k.Trials != tt.trials[i] || k.Unchecked != slices.Contains(tt.unchecked, k.Number) {
				t.Errorf("%s: result %d was checked from %d trials, unchecked %v", tt.name, k.Number, k.Trials, k.Unchecked)
			}
			if again := k.Claim.Name != c.Results[k.Number-1].Claim.Name; again != (k.Trials > 0) {
				t.Errorf("%s: result %d has the claim %q from %d trials", tt.name, k.Number, k.Claim.Name, k.Trials)
			}
		}
	}
}

// A demand on which no name depends does not look as if the name were wrong.
func TestChecklistStates(t *testing.T) {
	e := Earned{Claim: weir.Claim{Missed: []string{"RFC 2544 section 24: trials last at least 60 s; these lasted 1s"}, Demands: []weir.Demand{
		{Source: "RFC 2544 section 13", Text: "a routing update MUST be sent"},
		{Source: "RFC 2544 section 24", Text: "trials last at least 60 s", Found: "these lasted 1s"},
		{Source: "RFC 2544 section 23 b", Text: "wait 2s", Kept: true},
	}}}
	for i, want := range []string{"beside", "no", "yes"} {
		if got := e.Lines()[i].State; got != want {
			t.Errorf("demand %d is %s, want %s", i, got, want)
		}
	}
}
