package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/report"
)

// A method is one file and one line: what is made up here is listed, parsed from a
// plan with the name that it has to earn, run, claimed, and reported in all formats,
// as if it were in the table.
func TestAMadeUpMethod(t *testing.T) {
	remove := method.Add(method.Method{
		Name: "hundred", Summary: "how many of a hundred frames come back", Means: "frames of a hundred that came back",
		Earns:    [][]string{{"hundred of hundred"}},
		Check:    func(e claim.Evidence) weir.Claim { return weir.Claim{Name: "hundred of hundred"} },
		Defaults: method.Params{Trials: 1},
		Measure: func(ctx context.Context, env method.Env, p method.Params) ([]weir.Result, error) {
			trial := weir.Trial{Purpose: env.Method.Name, Count: 100, Intended: 1000, Traffic: env.Traffic, Condition: env.Condition, Waits: env.Waits}
			found, err := env.Measure(ctx, trial)
			r := weir.Result{Method: env.Method.Name, Factors: env.Factors, Unit: "frames", Value: float64(found.Received), Trials: 1,
				First: found.Trial.Number, Last: found.Trial.Number, Simulated: found.Simulated}
			r.Claim = method.Claim(r, []weir.TrialResult{found})
			return []weir.Result{r}, err
		},
	})
	defer remove()
	folder := t.TempDir()
	plan, store := filepath.Join(folder, "plan.yaml"), filepath.Join(folder, "weir.db")
	text := "testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [{method: hundred, claim: hundred of hundred}]\n"
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	weir := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"--store", store, "--quiet"}, args...), nil, &out, &errs); code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	if said := weir("list", "methods"); !strings.Contains(said, "how many of a hundred frames come back") {
		t.Errorf("it is not listed: %s", said)
	}
	weir("run", plan)
	if said := weir("claim", "--demand", "hundred of hundred", "latest/1"); !strings.Contains(said, "hundred of hundred") {
		t.Errorf("it claims %s", said)
	}
	for _, format := range report.Formats() {
		said := weir("report", "--format", format, "-v")
		if !strings.Contains(strings.ToLower(said), "hundred") || !strings.Contains(said, "100") {
			t.Errorf("%s does not have it:\n%s", format, said)
		}
	}
	if said := weir("report"); !strings.Contains(said, "frames of a hundred that came back") {
		t.Errorf("what its value means is not said: %s", said)
	}
}
