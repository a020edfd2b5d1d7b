package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir/internal/method"
)

// canceller cancels at the first thing with a word that is written to it.
type canceller struct {
	bytes.Buffer
	word   string
	cancel context.CancelFunc
}

func (c *canceller) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.word) {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

// TestInterrupted interrupts a campaign when its first result is shown: that
// result is kept, shown, and marked, and the program says so in its exit code.
func TestInterrupted(t *testing.T) {
	t.Setenv("WEIR_STORE", filepath.Join(t.TempDir(), "weir.db"))
	ctx, cancel := context.WithCancel(t.Context())
	progress := &canceller{cancel: cancel}
	var out bytes.Buffer
	if code := run(ctx, []string{"bench", "--testbed", "sim", "--format", "json"}, strings.NewReader(""), &out, progress); code != exitInterrupted {
		t.Errorf("exit code %d, want %d; standard error:\n%s", code, exitInterrupted, progress)
	}
	var c struct {
		Campaign, Ended string
		Results         []any
	}
	if err := json.Unmarshal(out.Bytes(), &c); err != nil {
		t.Fatalf("standard output is no object: %v\n%s", err, out.Bytes())
	}
	if c.Ended != "interrupted" || len(c.Results) != 1 {
		t.Errorf("ended %q with %d results, want interrupted with 1", c.Ended, len(c.Results))
	}
	if hint := "interrupted; go on with: weir run --resume=" + c.Campaign + "\n"; !strings.HasSuffix(progress.String(), hint) {
		t.Errorf("standard error does not end in %q:\n%s", hint, progress)
	}
	// The store has the same, in a run of its own.
	var stored bytes.Buffer
	if code := run(t.Context(), []string{"report", c.Campaign, "--format", "json"}, strings.NewReader(""), &stored, io.Discard); code != exitOK {
		t.Fatalf("exit code %d of the report", code)
	}
	if stored.String() != out.String() {
		t.Errorf("the store has\n%s\nand shown was\n%s", stored.String(), out.String())
	}
}

// A campaign of more trials than are all read goes on without those of what has ended, and finds
// what it would have found.
func TestResumesLargeCampaign(t *testing.T) {
	before := mostReplayed
	t.Cleanup(func() { mostReplayed = before })
	mostReplayed = 0
	folder := t.TempDir()
	t.Setenv("WEIR_STORE", filepath.Join(folder, "weir.db"))
	plan := filepath.Join(folder, "plan.yaml")
	text := "testbed: {kind: sim}\ntraffic: {sizes: [64, 512]}\nmethods: [frmol, {method: throughput, trial: 1s, width: 10%}, {method: latency, trials: 2}]\n"
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	type found struct {
		Results []struct {
			Method string
			Value  float64
			Trials int
		}
	}
	var all [2]found
	for i, word := range []string{"no such word", "latency"} {
		ctx, cancel := context.WithCancel(t.Context())
		var out bytes.Buffer
		progress := &canceller{word: word, cancel: cancel}
		code := run(ctx, []string{"run", plan, "--format", "json"}, strings.NewReader(""), &out, progress)
		if code == exitInterrupted {
			out.Reset()
			code = run(t.Context(), []string{"run", "--resume", "--format", "json"}, strings.NewReader(""), &out, progress)
		}
		cancel()
		if err := json.Unmarshal(out.Bytes(), &all[i]); err != nil || code != exitOK {
			t.Fatalf("exit code %d, %v:\n%s\n%s", code, err, out.Bytes(), progress)
		}
		if interrupted := strings.Contains(progress.String(), "go on with"); interrupted != (i == 1) {
			t.Fatalf("interrupted: %v:\n%s", interrupted, progress)
		}
	}
	if len(all[0].Results) != 6 || fmt.Sprint(all[0]) != fmt.Sprint(all[1]) {
		t.Errorf("it finds %v, and went on to find %v", all[0], all[1])
	}
}

func TestExitCodes(t *testing.T) {
	t.Setenv("WEIR_STORE", filepath.Join(t.TempDir(), "weir.db"))
	for args, want := range map[string]int{
		"version":                    exitOK,
		"":                           exitOK,
		"bench --show-plan":          exitOK,
		"report":                     exitError,
		"run no-such-plan.yaml":      exitError,
		"bench --no-such-flag":       exitUsage,
		"no-such-verb":               exitUsage,
		"list no-such-list":          exitUsage,
		"run":                        exitUsage,
		"bench --testbed no-such":    exitUsage,
		"version --format no-such":   exitUsage,
		"run --testbed sim a.yaml b": exitUsage,
	} {
		if got := run(t.Context(), strings.Fields(args), strings.NewReader(""), io.Discard, io.Discard); got != want {
			t.Errorf("weir %s: exit code %d, want %d", args, got, want)
		}
	}
}

// noValue are methods of which 0 is a result: nothing was lost, or something at
// every step of the load.
var noValue = []string{"loss-rate", "soak", "recovery", "reset", "fib-learning", "bgp-convergence", "pdv", "ipdv", "jitter"}

// examples are the files of all examples; of a file with several plans, each of them.
func examples(t *testing.T) (paths []string) {
	t.Helper()
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	folder := t.TempDir()
	for _, path := range files {
		all, err := (&app{}).readPlans(t.Context(), path)
		if err != nil || len(all) == 1 {
			paths = append(paths, path) // a mistake is told by who reads it next
			continue
		}
		for i, p := range all {
			one := filepath.Join(folder, fmt.Sprintf("%s-%d.yaml", strings.TrimSuffix(filepath.Base(path), ".yaml"), i+1))
			if err := os.WriteFile(one, []byte(p.Text), 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, one)
		}
	}
	return paths
}

// TestExamples runs every example on a simulated router, cut down to what a
// quick run spends, after a look at whether it can earn what it asks for.
func TestExamples(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, path := range examples(t) {
		p, err := (&app{}).readPlan(t.Context(), path)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := p.Unearnable(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		want := 0
		for _, part := range p.Parts() {
			for _, s := range part.Steps {
				used[s.Method.Name] = true
				if s.Method.Name == "profile" {
					continue // a model has no functions
				}
				if _, runs := part.Quickly().Schedule(); runs > 0 {
					want += runs
					continue
				}
				for _, l := range part.Levels {
					want += len(l.Traffic) * max(1, len(s.Params.MLR.Goals))
				}
			}
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel() // they wait for the disk of the store
			var out, errOut bytes.Buffer
			args := []string{"--store", filepath.Join(t.TempDir(), "weir.db"), "run", "--testbed", "sim", "--quick", "--format", "json", path}
			if code := run(t.Context(), args, strings.NewReader(""), &out, &errOut); code != exitOK {
				t.Fatalf("%s: exit code %d:\n%s", path, code, errOut.String())
			}
			var c struct {
				Ended   string
				Results []struct {
					Method  string
					Factors map[string]any
					Value   float64
				}
			}
			if err := json.Unmarshal(out.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if c.Ended != "complete" || len(c.Results) != want {
				t.Errorf("%s: ended %q with %d results, want %d", path, c.Ended, len(c.Results), want)
			}
			for i, r := range c.Results {
				_, bursts := r.Factors["burst"] // that its buffer cannot hold, whatever the load
				if r.Value < 0 || r.Value == 0 && !bursts && !slices.Contains(noValue, r.Method) {
					t.Errorf("%s: result %d, of %s, is %v", path, i, r.Method, r.Value)
				}
			}
		})
	}
	for _, m := range method.All() {
		if !used[m.Name] {
			t.Errorf("no example has %s", m.Name)
		}
	}
}
