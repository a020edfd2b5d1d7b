package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weir"
)

// How long a program may take: what takes longer hangs, and is stopped.
const (
	searchLimit = 5 * time.Minute
	benchLimit  = 3 * time.Minute
	planLimit   = 10 * time.Minute
	dyingLimit  = 30 * time.Second // from being told to end until it is killed
)

// campaign is what is read of weir's JSON, which has trials where it was asked for
// them.
type campaign struct {
	ID          string `json:"campaign"`
	Name        string
	Manifest    struct{ Settings []weir.Setting }
	Results     []result
	Comparisons []comparison
	Trials      []trial
}

type trial struct {
	Trial struct {
		Number  int
		Purpose string
	}
	Start    time.Time
	Host     struct{ Over time.Duration }
	Readings []weir.Reading
}

type result struct {
	Method, Unmeasured  string
	Factors             map[string]any
	Value, Lower, Upper float64
	Unit                string
	Seconds             float64 `json:"search_seconds"`
	First               int     `json:"first_trial"`
	Last                int     `json:"last_trial"`
	LeftOut             float64 `json:"left_out_share"`
	Limited             string  // by what, where the value is a lower bound
	Saturated           struct{ Value float64 }
	Latency             struct{ P50, Within float64 } `json:"latency_seconds"`
	Figures             []struct {
		Name  string
		Value float64
	}
	Warnings []struct{ Code, Text string }
	took     time.Duration // by its trials; 0: nobody knows
}

// took is how long the trials of a result took with all that lies between them; 0:
// nobody knows. Before the first one sends, it is prepared as the last one is.
func (c campaign) took(r result) time.Duration {
	var first, last trial
	for _, t := range c.Trials {
		if t.Trial.Number == r.First {
			first = t
		}
		if t.Trial.Number == r.Last {
			last = t
		}
	}
	if first.Start.IsZero() || last.Start.IsZero() {
		return 0
	}
	return last.Start.Sub(first.Start) + last.Host.Over
}

// readBy says that something else has read the DUT than was asked for.
func (c campaign) readBy(program string) error {
	by := "nobody"
	for _, s := range c.Manifest.Settings {
		if s.Where == "dut" && s.Name == "read by" {
			by = s.Value
		}
	}
	if by != program && !strings.HasPrefix(by, program+",") {
		return fmt.Errorf("the DUT was read by %s, and not by %s", by, program)
	}
	return nil
}

// figure is one of a result by its name.
func (r result) figure(name string) (value float64, there bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Value, true
		}
	}
	return 0, false
}

// level names the level of a factor.
func (r result) level(factor string) string {
	if v, number := r.Factors[factor].(float64); number {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprint(r.Factors[factor])
}

// kpps is a rate with its interval.
func (r result) kpps() string {
	if r.Value == 0 {
		return fmt.Sprintf("no number (%.0f %% left out)", 100*r.LeftOut)
	}
	return fmt.Sprintf("%.1f (%.1f to %.1f) kpps", r.Value/1e3, r.Lower/1e3, r.Upper/1e3)
}

// told is what a run of weir came to.
type told struct {
	campaign
	took time.Duration
	err  error // why it did not end with 0, or has said nothing
}

// call runs weir with a store of its own, and stops it when it takes too long.
func (s setup) call(ctx context.Context, limit time.Duration, args ...string) told {
	dir, err := os.MkdirTemp("", "truth-")
	if err != nil {
		return told{err: err}
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	argv := append(slices.Clone(s.near), s.weir)
	out, err := program(ctx, limit, argv[0], slices.Concat(argv[1:], []string{"--store", filepath.Join(dir, "weir.db"), "--format", "json", "--quiet"}, args)...)
	t := told{took: time.Since(began), err: err}
	if err := json.Unmarshal(out, &t.campaign); err != nil && t.err == nil {
		t.err = fmt.Errorf("read what weir said: %w", err)
	}
	return t
}

// program runs one to its end and returns what it printed, which may be there
// although it failed.
func program(ctx context.Context, limit time.Duration, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it takes its lab down
	cmd.WaitDelay = dyingLimit
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, strings.ReplaceAll(strings.TrimSpace(said.String()), "\n", "; "))
	}
	return out.Bytes(), err
}

// planned is the only result of a plan.
func (s setup) planned(ctx context.Context, plan string) (result, error) {
	t := s.run(ctx, plan)
	if t.err == nil && len(t.Results) != 1 {
		t.err = fmt.Errorf("%d results, and not one", len(t.Results))
	}
	if t.err != nil {
		return result{}, t.err
	}
	return t.Results[0], nil
}

// run runs a plan that is no file.
func (s setup) run(ctx context.Context, plan string, args ...string) told {
	file, remove, err := written(plan)
	if err != nil {
		return told{err: err}
	}
	defer remove()
	return s.call(ctx, searchLimit, slices.Concat([]string{"run"}, args, []string{file})...)
}

// written is a file with a plan, until it is removed.
func written(plan string) (file string, remove func(), err error) {
	f, err := os.CreateTemp("", "truth-*.yaml")
	if err != nil {
		return "", nil, err
	}
	_, err = f.WriteString(plan)
	if closed := f.Close(); err != nil || closed != nil {
		os.Remove(f.Name())
		return "", nil, fmt.Errorf("write a plan: %w", cmp.Or(err, closed))
	}
	return f.Name(), func() { os.Remove(f.Name()) }, nil
}
