package sqlite

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"weir"
)

func TestResume(t *testing.T) {
	ctx := t.Context()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "weir.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var none *NothingToResumeError
	if _, err := s.Unfinished(ctx, ""); !errors.As(err, &none) || none.Plan || !none.Done() {
		t.Errorf("in an empty store: %v", err)
	}
	for id, ended := range map[string]string{"1-interrupted": "interrupted", "2-killed": "", "3-complete": "complete", "4-failed": "failed: so"} {
		n, err := s.Begin(ctx, weir.Campaign{ID: id, Manifest: weir.Manifest{Plan: "plan of " + id}})
		if err != nil {
			t.Fatal(err)
		}
		whole := weir.Result{Method: "frmol", First: 1, Last: 1}
		part := weir.Result{Method: "throughput", First: 2, Last: 5, Warnings: []weir.Warning{{Code: weir.NoisyResult}, {Code: weir.Interrupted}}}
		missing := weir.Result{Method: "netperf", Unmeasured: "it is not installed"}
		if err := errors.Join(n.RecordResult(ctx, whole), n.RecordResult(ctx, part), n.RecordResult(ctx, missing), n.RecordTrial(ctx, weir.TrialResult{Trial: weir.Trial{Number: 5}})); err != nil {
			t.Fatal(err)
		}
		if ended != "" {
			if err := n.End(ctx, ended); err != nil {
				t.Fatal(err)
			}
		}
	}
	for plan, want := range map[string]string{"plan of 1-interrupted": "1-interrupted", "plan of 2-killed": "2-killed", "plan of 4-failed": "4-failed"} {
		if id, err := s.Unfinished(ctx, plan); err != nil || id != want {
			t.Errorf("%s: %q, %v", plan, id, err)
		}
	}
	for plan, complete := range map[string]string{"plan of 3-complete": "3-complete", "plan of nothing": ""} {
		if _, err := s.Unfinished(ctx, plan); !errors.As(err, &none) || !none.Plan || none.ID != complete || none.Done() != (complete != "") {
			t.Errorf("%s: %v", plan, err)
		}
	}
	if _, err := s.Resume(ctx, "3"); !errors.As(err, &none) || none.ID != "3-complete" {
		t.Errorf("a complete one: %v", err)
	}
	n, err := s.Resume(ctx, "1")
	if err != nil || n.ID() != "1-interrupted" {
		t.Fatalf("resumed %v: %v", n, err)
	}
	c, err := s.Campaign(ctx, n.ID())
	if err != nil {
		t.Fatal(err)
	}
	if c.Ended != "" || len(c.Trials) != 1 || len(c.Results) != 1 || c.Results[0].Method != "frmol" {
		t.Errorf("ended %q, %d trials, results %+v: what has no value and what the interruption left unfinished has to go, and nothing else", c.Ended, len(c.Trials), c.Results)
	}
	if other, err := s.Campaign(ctx, "4-failed"); err != nil || len(other.Results) != 3 {
		t.Errorf("another campaign lost results: %d, %v", len(other.Results), err)
	}
}

// A campaign goes on without the trials of results, but for the first one of each: that says which
// step a result is of. The last trial of all says where it goes on.
func TestUncovered(t *testing.T) {
	for name, c := range map[string]struct {
		results [][2]int
		want    []int
	}{
		"nothing found":  {nil, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		"all":            {[][2]int{{1, 10}}, []int{1, 10}},
		"between":        {[][2]int{{6, 8}, {2, 4}}, []int{1, 2, 5, 6, 9, 10}},
		"shared":         {[][2]int{{2, 4}, {2, 9}, {3, 5}, {8, 9}}, []int{1, 2, 3, 8, 10}},
		"of one trial":   {[][2]int{{9, 9}, {10, 10}}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		"without trials": {[][2]int{{0, 0}, {2, 9}}, []int{1, 2, 10}},
	} {
		s := open(t)
		n := begin(t, s, weir.Campaign{ID: "a"})
		for i := range 10 {
			if err := n.RecordTrial(t.Context(), weir.TrialResult{Trial: weir.Trial{Number: i + 1}}); err != nil {
				t.Fatal(err)
			}
		}
		begun := weir.Campaign{ID: "a"}
		for _, r := range c.results {
			begun.Results = append(begun.Results, weir.Result{First: r[0], Last: r[1]})
		}
		got, err := s.Uncovered(t.Context(), begun)
		if err != nil {
			t.Fatal(err)
		}
		var numbers []int
		for _, trial := range got.Trials {
			numbers = append(numbers, trial.Trial.Number)
		}
		if !slices.Equal(numbers, c.want) || got.Omitted != 10-len(c.want) {
			t.Errorf("%s: trials %v and %d more, want %v", name, numbers, got.Omitted, c.want)
		}
	}
}
