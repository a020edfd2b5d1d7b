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
	pausedLeast               = 10 * time.Millisecond  // of a trial that a stop takes, and two hundredths of it: below a hundredth it needs no mark
)

// stopped stops weir at random moments for random times, and judges each trial that this fell
// into: it has a mark, or its rate is right, as a stopped process goes on in the kernel until its
// call returns. Stops have numbers, as kills do.
func stopped() promise {
	return promise{group: "stops", name: "SIGSTOP of 1 ms to 5 s at random moments", asked: "each trial that this falls into is marked, or has its rate all the same", measure: func(ctx context.Context, s setup) (string, bool, error) {
		hit, n := 0, s.often(20)
		var highest []float64 // rates at maximum load of all trials
		var unmarked []unmarkedTrial
		for i := s.from; i < s.from+n; i++ {
			trials, rates, without, err := s.stop(ctx, i)
			if err != nil {
				return "", false, fmt.Errorf("stop %d: %w", i, err)
			}
			hit, highest, unmarked = hit+trials, append(highest, rates...), append(unmarked, without...)
			if (i-s.from+1)%toldEvery == 0 {
				s.say("%d stops fell into %d trials, %d without a mark; -from %d goes on", i-s.from+1, hit, len(unmarked), i+1)
			}
		}
		wrong := 0
		for _, u := range unmarked {
			if u.lower(median(highest)) {
				wrong++
				s.say("stop %d: %s", u.stop, u.text)
			}
		}
		if hit == 0 {
			return "", false, fmt.Errorf("no trial was met in %d stops", n)
		}
		return fmt.Sprintf("%d trials were met in %d stops, %d of them are unmarked with their rate, %d with a lower one", hit, n, len(unmarked)-wrong, wrong), wrong == 0, nil
	}}
}

// unmarkedTrial is a trial without a mark that a stop fell into.
type unmarkedTrial struct {
	stop       int
	rate, want float64 // frames/s that were sent, and had to be; want 0: as many as the tester could
	text       string
}

// lower reports whether the trial's rate is lower than it would be without a stop, with what
// trials at maximum load usually have. These differ by much on a shared machine.
func (u unmarkedTrial) lower(usual float64) bool {
	if u.want > 0 {
		return u.rate < .98*u.want
	}
	return u.rate < .7*usual
}

// stop makes one, and returns into how many trials it fell, the rates at maximum load, and the
// trials without a mark.
func (s setup) stop(ctx context.Context, n int) (hit int, highest []float64, unmarked []unmarkedTrial, err error) {
	file, remove, err := written(stopPlan)
	if err != nil {
		return 0, nil, nil, err
	}
	defer remove()
	dir, err := os.MkdirTemp("", "truth-")
	if err != nil {
		return 0, nil, nil, err
	}
	defer os.RemoveAll(dir)
	random := rand.New(rand.NewPCG(2, uint64(n)))
	moment := firstStop + time.Duration(random.Int64N(int64(lastStop-firstStop)))
	length := time.Duration(float64(shortestStop) * math.Pow(float64(longestStop/shortestStop), random.Float64()))
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		return 0, nil, nil, err
	}
	defer out.Close()
	ctx, cancel := context.WithTimeout(ctx, planLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.weir, "--store", filepath.Join(dir, "weir.db"), "--format", "json", "--quiet", "run", "--trials", file)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, nil, nil, err
	}
	time.Sleep(moment)
	from := time.Now()
	cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(length)
	cmd.Process.Signal(syscall.SIGCONT)
	until := time.Now()
	if err := cmd.Wait(); err != nil {
		return 0, nil, nil, err
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		return 0, nil, nil, err
	}
	var c struct{ Trials []weir.TrialResult }
	if err := json.Unmarshal(text, &c); err != nil || len(c.Trials) == 0 {
		return 0, nil, nil, fmt.Errorf("%d trials were read: %v", len(c.Trials), err)
	}
	for _, t := range c.Trials {
		begin, end := t.Start.Add(stopEdge), t.Start.Add(max(t.Sending, t.Trial.Length())-stopEdge)
		still := overlap(from, until, begin, end)
		rate := t.OfferedRate()
		if t.Trial.Maximum && !t.Trial.Bypass {
			highest = append(highest, t.ForwardingRate())
			rate = t.ForwardingRate()
		}
		if t.Trial.Bypass || still < max(pausedLeast, t.Trial.Length()/50) {
			continue
		}
		hit++
		if !weir.HasWarning(t.Warnings, weir.GeneratorPaused, weir.GeneratorStalled, weir.OfferedShort) {
			unmarked = append(unmarked, unmarkedTrial{n, rate, t.IntendedRate(), fmt.Sprintf("trial %d (%s) was stopped for %v of %v, says of %v, and has %.0f frames/s: %v",
				t.Trial.Number, t.Trial.Purpose, still, t.Trial.Length(), t.Pacing.Paused, rate, t.Warnings)})
		}
	}
	return hit, highest, unmarked, nil
}

// overlap is how long two times have in common.
func overlap(from, until, begin, end time.Time) time.Duration {
	return max(0, slices.MinFunc([]time.Time{until, end}, time.Time.Compare).Sub(slices.MaxFunc([]time.Time{from, begin}, time.Time.Compare)))
}
