package sqlite

import (
	"errors"
	"path/filepath"
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
	if _, err := s.Unfinished(ctx, ""); !errors.As(err, &none) || none.Plan {
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
	if _, err := s.Unfinished(ctx, "plan of 3-complete"); !errors.As(err, &none) || !none.Plan {
		t.Errorf("of a plan that is complete: %v", err)
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
