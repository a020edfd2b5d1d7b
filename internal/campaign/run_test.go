package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
	"weir/internal/method"
	"weir/internal/plan"
)

// memory is a recorder whose disk can fill up.
type memory struct {
	manifests []weir.Manifest
	trials    []weir.TrialResult
	results   []weir.Result
	room      int // trials that fit; 0 is no limit
}

var errFull = errors.New("the disk is full")

func (m *memory) RecordManifest(ctx context.Context, v weir.Manifest) error {
	m.manifests = append(m.manifests, v)
	return ctx.Err()
}

func (m *memory) RecordTrial(ctx context.Context, v weir.TrialResult) error {
	if m.room > 0 && len(m.trials) == m.room {
		return errFull
	}
	m.trials = append(m.trials, v)
	return ctx.Err()
}

func (m *memory) RecordResult(ctx context.Context, v weir.Result) error {
	m.results = append(m.results, v)
	return ctx.Err()
}

// once is a method of a single trial at 1000 frames/s, called name.
func once(name string) plan.Step {
	return plan.Step{Params: method.Params{Trial: time.Second}, Method: method.Method{
		Name: name, Measure: func(ctx context.Context, e method.Env, p method.Params) ([]weir.Result, error) {
			r, err := e.Measure(ctx, weir.Trial{Purpose: name, Traffic: e.Traffic, Intended: 1000, Duration: p.Trial, Waits: e.Waits})
			return []weir.Result{{Method: name, Factors: e.Factors, Value: r.ForwardingRate(), Trials: len(e.Past), Warnings: r.Warnings}}, err
		},
	}}
}

// twoByTwo is a plan of two sizes and the methods a and b.
func twoByTwo(t *testing.T) plan.Plan {
	p, err := plan.Parse("plan.yaml", []byte("name: two by two\ntestbed: {kind: sim}\ntraffic: {sizes: [64, imix]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p.Steps = []plan.Step{once("a"), once("b")}
	return p
}

// wire forwards every frame and nothing else.
func wire(_ context.Context, t weir.Trial) (weir.TrialResult, error) {
	n := t.Frames()
	if t.Maximum {
		n = 1_000_000
	}
	return weir.TrialResult{Trial: t, Sending: t.Duration, Offered: n, Received: n, Ledger: weir.Balance(n, n, nil)}, nil
}

func purposes(trials []weir.TrialResult) string {
	var out []string
	for _, r := range trials {
		out = append(out, fmt.Sprintf("%d %s %s", r.Trial.Number, r.Trial.Traffic.Name, r.Trial.Purpose))
	}
	return strings.Join(out, ", ")
}

func TestRunMeasuresThePlanInOrder(t *testing.T) {
	var rec memory
	var events []string
	var last Event
	observe := func(context.Context) (func(time.Duration) (Observation, error), error) {
		return func(sending time.Duration) (Observation, error) {
			return Observation{
				Host: weir.HostLoad{Other: time.Millisecond}, DUTCPU: sending / 2,
				Readings: []weir.Reading{{Source: "cpu", Name: "context switches", Value: 3, Unit: "count"}},
			}, nil
		}, nil
	}
	lab := Lab{Measure: wire, CPUs: weir.CPUs{DUT: []int{1}}, Observe: observe, LinkRate: 1e9}
	c, err := Run(t.Context(), twoByTwo(t), lab, &rec, func(e Event) {
		if last = e; e.Kind != TrialDone {
			events = append(events, fmt.Sprint(e.Kind, " ", e.Level, " ", e.Method))
		}
		if e.Spent > e.Budget {
			t.Errorf("%v of %v are spent", e.Spent, e.Budget)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "1 64 probe, 2 64 a, 3 64 b, 4 imix probe, 5 imix a, 6 imix b"; purposes(rec.trials) != want {
		t.Errorf("recorded %s, want %s", purposes(rec.trials), want)
	}
	if diff := cmp.Diff([]string{"1 64 a", "3 64 a", "1 64 b", "3 64 b", "1 imix a", "3 imix a", "1 imix b", "3 imix b"}, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(rec.trials, c.Trials, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Errorf("recorded and returned trials differ:\n%s", diff)
	}
	if diff := cmp.Diff(rec.results, c.Results); diff != "" {
		t.Errorf("recorded and returned results differ:\n%s", diff)
	}
	if got := c.Results[3].Factors["frame_size"]; got != "imix" || c.Results[0].Factors["frame_size"] != 64 {
		t.Errorf("frame sizes %v and %v", c.Results[0].Factors["frame_size"], got)
	}
	if c.Results[1].Trials != 1 || c.Results[2].Trials != 0 { // once counts its past there
		t.Error("the past of a method is not what its own size has shown before")
	}
	if r := rec.trials[1]; r.DUTCPU != r.Sending/2 || r.Host.Other != time.Millisecond || len(r.Readings) != 1 {
		t.Errorf("observed %v, %+v and %+v", r.DUTCPU, r.Host, r.Readings)
	}
	m := rec.manifests[len(rec.manifests)-1]
	if c.Ended != "complete" || c.Name != "two by two" || m.Weir != weir.Version || m.Testbed != "sim" || !strings.HasPrefix(m.Plan, "name: two") || m.Started.IsZero() {
		t.Errorf("campaign %q ended %q, manifest %+v", c.Name, c.Ended, m)
	}
	if last.Kind != ResultDone || last.Budget == 0 {
		t.Errorf("last event %+v", last)
	}
}

func TestRunTestsTheTesterFirst(t *testing.T) {
	var rec memory
	c, err := Run(t.Context(), twoByTwo(t), Lab{Measure: wire, SelfTest: true}, &rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !rec.trials[0].Trial.Bypass || rec.trials[0].Trial.Purpose != "self-test" || !rec.trials[0].Trial.Maximum {
		t.Errorf("the first trial is %+v", rec.trials[0].Trial)
	}
	for _, size := range []string{"64", "imix"} {
		if rec.manifests[len(rec.manifests)-1].Ceiling[size] <= 0 || c.Manifest.Ceiling[size] <= 0 {
			t.Errorf("no ceiling for %s: %v", size, c.Manifest.Ceiling)
		}
	}
	if len(c.Results) != 4 {
		t.Errorf("%d results: those of the self-test are no results of the DUT", len(c.Results))
	}
}

func TestRunKeepsWhatWasMeasuredWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var rec memory
	lab := Lab{Measure: func(c context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Number == 3 {
			cancel() // the user interrupts during trial 3, which ends early and says so
			return weir.TrialResult{}, fmt.Errorf("trial ended: %w", c.Err())
		}
		return wire(c, trial)
	}}
	c, err := Run(ctx, twoByTwo(t), lab, &rec, nil)
	if !errors.Is(err, context.Canceled) || c.Ended != "interrupted" {
		t.Errorf("ended %q with %v", c.Ended, err)
	}
	if want := "1 64 probe, 2 64 a"; purposes(rec.trials) != want || purposes(c.Trials) != want || len(rec.results) != 1 {
		t.Errorf("kept %s and %d results, want %s and 1", purposes(rec.trials), len(rec.results), want)
	}
}

func TestRunRecordsTheTrialThatWasInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var rec memory
	lab := Lab{Measure: func(c context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Number == 2 {
			cancel()
		}
		return wire(c, trial)
	}}
	c, err := Run(ctx, twoByTwo(t), lab, &rec, nil)
	if want := "1 64 probe, 2 64 a"; purposes(rec.trials) != want || c.Ended != "interrupted" || !errors.Is(err, context.Canceled) {
		t.Errorf("kept %s, ended %q with %v", purposes(rec.trials), c.Ended, err)
	}
}

func TestRunGoesOnAfterAMethodThatFails(t *testing.T) {
	var rec memory
	var failed int
	lab := Lab{Measure: func(c context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Purpose == "a" && trial.Traffic.Name == "64" {
			return weir.TrialResult{}, errors.New("no such queue")
		}
		return wire(c, trial)
	}}
	c, err := Run(t.Context(), twoByTwo(t), lab, &rec, func(e Event) {
		if e.Kind == MethodFailed {
			failed++
		}
	})
	const want = "a with frames of 64: no such queue"
	if err == nil || err.Error() != want || c.Ended != "failed: "+want || failed != 1 {
		t.Errorf("ended %q with %v, %d events", c.Ended, err, failed)
	}
	if want := "1 64 probe, 2 64 b, 3 imix probe, 4 imix a, 5 imix b"; purposes(rec.trials) != want || len(c.Results) != 3 {
		t.Errorf("kept %s and %d results, want %s and 3", purposes(rec.trials), len(c.Results), want)
	}
}

func TestRunEndsWhenTheStoreDoes(t *testing.T) {
	rec := memory{room: 2}
	c, err := Run(t.Context(), twoByTwo(t), Lab{Measure: wire}, &rec, nil)
	if !errors.Is(err, errFull) || !strings.Contains(c.Ended, "record trial 3: the disk is full") {
		t.Errorf("ended %q with %v", c.Ended, err)
	}
	if len(c.Results) != 1 || len(rec.results) != 1 {
		t.Errorf("%d results are shown and %d recorded, want 1", len(c.Results), len(rec.results))
	}
}

func TestRunEndsWhenNothingIsForwarded(t *testing.T) {
	lab := Lab{Measure: func(c context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := wire(c, trial)
		r.Received = 0
		r.Ledger = weir.Balance(r.Offered, 0, []weir.Drop{{Place: "dut IPv4 no route", Count: r.Offered}})
		return r, err
	}}
	var rec memory
	c, err := Run(t.Context(), twoByTwo(t), lab, &rec, nil)
	if err == nil || !strings.Contains(err.Error(), "forwards nothing") || !strings.Contains(err.Error(), "dut IPv4 no route 2100") {
		t.Errorf("ended with %v", err)
	}
	if len(c.Trials) != 1 || len(c.Trials[0].Warnings) != 1 || c.Trials[0].Warnings[0].Code != weir.NothingForwarded {
		t.Errorf("trials %+v", c.Trials)
	}
}

// A sweep of a campaign that goes round counts the trials of all rounds, attempts
// and the trickle after one of which nothing came back included, and so does what
// the machine did beside them. Its first and last one are of one round: between
// rounds there are sweeps of other sizes.
func TestRoundsCountAllTrials(t *testing.T) {
	lab := disturbed(simulated(t), 2)
	measure, silent := lab.Measure, false
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if trial.Purpose == "sweep" && !silent {
			r.Received, silent = 0, true
		}
		r.Host = weir.HostLoad{Steal: time.Duration(trial.Number) * time.Millisecond, Other: 2 * time.Duration(trial.Number) * time.Millisecond, Over: time.Second}
		return r, err
	}
	lab.Manifest.CPUs = 4
	c, err := Run(t.Context(), parsed(t, rounded), lab, &memory{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, trickles, sweeps := 0, 0, 0
	for _, r := range c.Results {
		if r.Round == 0 {
			continue
		}
		sweeps++
		n, seconds, steal, first := 0, 0., 0., 0
		for _, done := range c.Trials {
			if done.Trial.Purpose != "sweep" && done.Trial.Purpose != "trickle" || done.Trial.Traffic.Name != fmt.Sprint(r.Factors["frame_size"]) || done.Trial.Number > r.Last {
				continue
			}
			if n++; n == 1 {
				first = done.Trial.Number
			}
			if done.Attempts > 1 {
				again++
			}
			if done.Trial.Purpose == "trickle" {
				trickles++
			}
			seconds, steal = seconds+done.Trial.Length().Seconds(), steal+done.Host.Steal.Seconds()
		}
		if r.Trials != n || math.Abs(r.SearchTime-seconds) > 1e-6 || (r.First == first) != (r.Round == 1) {
			t.Errorf("round %d says %d trials of %v s from %d on, want %d of %v s", r.Round, r.Trials, r.SearchTime, r.First, n, seconds)
		}
		if want := steal / float64(n) / 4; r.Machine == nil || math.Abs(r.Machine.Stolen-want) > 1e-9 || math.Abs(r.Machine.Busy-2*want) > 1e-9 {
			t.Errorf("round %d: the machine %+v, want %v stolen and twice as much busy", r.Round, r.Machine, want)
		}
	}
	if sweeps != 4 || again == 0 || trickles != 2 { // one that both rounds count
		t.Errorf("%d sweeps, %d trials that were repeated, %d trickles", sweeps, again, trickles)
	}
}
