package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"weir"
)

// stopPlan has trials at maximum load and at fixed ones.
const stopPlan = "testbed: {kind: netns}\ntraffic: {sizes: [64]}\nmethods: [{method: frmol, trial: 1s}, {method: throughput, loss: 0.5%, trial: 500ms, within: 6s}]\n"

// The stops: how long weir stands still, and when.
const (
	shortestStop, longestStop = time.Millisecond, 5 * time.Second
	firstStop, lastStop       = 500 * time.Millisecond, 8 * time.Second
	stopEdge                  = 100 * time.Millisecond // at the ends of a trial it is not known whether frames were due
	pausedLeast               = 10 * time.Millisecond  // that a trial stood still, and two hundredths of it: below a hundredth it needs no mark
)

// stopped stops weir at random moments for random times, and looks whether each trial that this
// fell into has a mark. Stops have numbers, as kills do.
func stopped() promise {
	return promise{group: "stops", name: "SIGSTOP of 1 ms to 5 s at random moments", asked: "each trial that stood still for 2 % of its time, and 10 ms, is marked and says for how long", measure: func(ctx context.Context, s setup) (string, bool, error) {
		hit, wrong, n := 0, 0, s.often(20)
		for i := s.from; i < s.from+n; i++ {
			trials, unmarked, err := s.stop(ctx, i)
			if err != nil {
				return "", false, fmt.Errorf("stop %d: %w", i, err)
			}
			hit, wrong = hit+trials, wrong+len(unmarked)
			for _, u := range unmarked {
				s.say("stop %d: %s", i, u)
			}
			if (i-s.from+1)%toldEvery == 0 {
				s.say("%d stops, %d trials stood still, %d without a mark; -from %d goes on", i-s.from+1, hit, wrong, i+1)
			}
		}
		if hit == 0 {
			return "", false, fmt.Errorf("no trial stood still in %d stops", n)
		}
		return fmt.Sprintf("%d trials stood still in %d stops, %d of them without a mark", hit, n, wrong), wrong == 0, nil
	}}
}

// stop makes one, and returns how many trials stood still and what is to be said of those without
// a mark.
func (s setup) stop(ctx context.Context, n int) (hit int, unmarked []string, err error) {
	file, remove, err := written(stopPlan)
	if err != nil {
		return 0, nil, err
	}
	defer remove()
	dir, err := os.MkdirTemp("", "truth-")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	random := rand.New(rand.NewPCG(2, uint64(n)))
	moment := firstStop + time.Duration(random.Int64N(int64(lastStop-firstStop)))
	length := time.Duration(float64(shortestStop) * math.Pow(float64(longestStop/shortestStop), random.Float64()))
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		return 0, nil, err
	}
	defer out.Close()
	ctx, cancel := context.WithTimeout(ctx, planLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.weir, "--store", filepath.Join(dir, "weir.db"), "--format", "json", "--quiet", "run", "--trials", file)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	time.Sleep(moment)
	from := time.Now()
	cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(length)
	cmd.Process.Signal(syscall.SIGCONT)
	until := time.Now()
	if err := cmd.Wait(); err != nil {
		return 0, nil, err
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		return 0, nil, err
	}
	var c struct{ Trials []weir.TrialResult }
	if err := json.Unmarshal(text, &c); err != nil || len(c.Trials) == 0 {
		return 0, nil, fmt.Errorf("%d trials were read: %v", len(c.Trials), err)
	}
	for _, t := range c.Trials {
		begin, end := t.Start.Add(stopEdge), t.Start.Add(max(t.Sending, t.Trial.Length())-stopEdge)
		still := overlap(from, until, begin, end)
		if t.Trial.Bypass || still < max(pausedLeast, t.Trial.Length()/50) {
			continue
		}
		hit++
		known := max(t.Pacing.Paused, t.Pacing.LongestStall) >= still-pausedLeast
		if !known || !weir.HasWarning(t.Warnings, weir.GeneratorPaused, weir.GeneratorStalled) {
			unmarked = append(unmarked, fmt.Sprintf("trial %d (%s) stood still for %v of %v and says of %v: %v", t.Trial.Number, t.Trial.Purpose, still, t.Trial.Length(), t.Pacing.Paused, t.Warnings))
		}
	}
	return hit, unmarked, nil
}

// overlap is how long two times have in common.
func overlap(from, until, begin, end time.Time) time.Duration {
	return max(0, slices.MinFunc([]time.Time{until, end}, time.Time.Compare).Sub(slices.MaxFunc([]time.Time{from, begin}, time.Time.Compare)))
}
