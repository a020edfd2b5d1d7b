package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weir"
)

// That there is no number is said once, with the reason and what to do.
func TestUnknownKnees(t *testing.T) {
	sweep := func(r weir.Result) weir.Result {
		r.Method, r.Sweep, r.Factors = "sweep", &weir.Sweep{}, weir.Factors{"frame_size": 64}
		return r
	}
	disturbed := sweep(weir.Result{Warnings: []weir.Warning{{Code: weir.BusyMachine, Sentence: weir.Say("72 %% of the windows had to be left out (steal: 72 %%)").Then("; stop other work, or take a quieter machine")}}})
	limited := sweep(weir.Result{})
	limited.Limited = "time"
	for want, r := range map[string]weir.Result{
		"no number for frames of 64: 72 % of the windows had to be left out (steal: 72 %); stop other work, or take a quieter machine": disturbed,
		"no number for frames of 64: time":              limited,
		"no number for frames of 64: nothing was found": sweep(weir.Result{}),
		"": sweep(weir.Result{Value: 1}),
	} {
		got := ""
		if err := unknownKnees(weir.Campaign{Results: []weir.Result{r}}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}

// Where most windows had to be left out weir does not end with 0, and
// scripts/fresh knows by what it prints that the machine was too busy.
func TestTooBusyForNumbers(t *testing.T) {
	t.Setenv("WEIR_STORE", filepath.Join(t.TempDir(), "weir.db"))
	script, err := os.ReadFile("../../scripts/fresh")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`grep -qE '(.*)' "\$1" && !`).FindSubmatch(script)
	if pattern == nil {
		t.Fatal("scripts/fresh looks for nothing any more")
	}
	plan := "{testbed: {kind: sim, stalls: 120, stall: 5ms}, traffic: {sizes: 64}, methods: [{method: sweep, within: 2s}]}"
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"--quiet", "run", "-"}, strings.NewReader(plan), &out, &said); code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	busy := regexp.MustCompile("(?m)" + string(pattern[1]))
	if !busy.MatchString(said.String()) {
		t.Errorf("%s does not match\n%s", busy, said.String())
	}
	if unknown := "weir: no number for frames of 64: the time was over before the knee was found\n"; busy.MatchString(unknown) {
		t.Errorf("%s matches %q, of which the machine is no reason", busy, unknown)
	}
}
