package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// conditions is a lab that notes how its DUT is set, and cannot be set to
// 1000 routes.
func conditions(now *weir.Condition, log *[]string) Lab {
	return Lab{
		Measure: func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
			if !t.Bypass && !t.Condition.Equal(*now) {
				return weir.TrialResult{}, fmt.Errorf("the DUT is %v, and the trial says %v", *now, t.Condition)
			}
			return wire(ctx, t)
		},
		SelfTest: true,
		Apply: func(_ context.Context, all ...weir.Condition) (func(context.Context) error, error) {
			c := all[0]
			if c.Routes().Count > 0 {
				return nil, errors.New("no room for 1000 routes")
			}
			*now, *log = c, append(*log, c.String())
			return func(context.Context) error {
				*now, *log = weir.Condition{}, append(*log, "undone")
				return nil
			}, nil
		},
	}
}

const fourLevels = "testbed: {kind: sim}\ntraffic: {sizes: [64, 512]}\nmodifiers: [plain, {filters: 25}, {routes: 1000}, {napi: threaded}]\nmethods: frmol\n"

func TestLevelsInTurn(t *testing.T) {
	var now weir.Condition
	var log []string
	var rec memory
	c, err := Run(t.Context(), parsed(t, fourLevels), conditions(&now, &log), &rec, nil)
	const want = `routes 1000: probe with frames of 64: nothing is measured under the condition "1000 ipv4 routes": no room for 1000 routes`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if diff := cmp.Diff([]string{"25 filters", "undone", "NAPI threaded", "undone"}, log); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	var got []string
	for _, r := range c.Results {
		got = append(got, levelsOf(r.Factors))
	}
	if diff := cmp.Diff([]string{`{"frame_size":64}`, `{"frame_size":512}`, `{"filters":25,"frame_size":64}`, `{"filters":25,"frame_size":512}`,
		`{"frame_size":64,"napi":"threaded"}`, `{"frame_size":512,"napi":"threaded"}`}, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	// The tester is measured once with what two levels send, and says which.
	if _, plain := c.Manifest.Ceiling["64"]; !plain || len(c.Manifest.Ceiling) != 4 || c.Manifest.Ceiling["512, routes 1000"] == 0 {
		t.Errorf("ceilings %v", c.Manifest.Ceiling)
	}
}

func TestConditionsThatCannotBeSet(t *testing.T) {
	var rec memory
	c, err := Run(t.Context(), parsed(t, fourLevels), Lab{Measure: wire}, &rec, nil)
	if err == nil || !strings.Contains(err.Error(), `cannot set the DUT to "25 filters": leave the level "filters 25" out`) || len(c.Trials) > 0 {
		t.Errorf("%d trials, error %v", len(c.Trials), err)
	}
}

// A DUT that was left in an unknown state is not measured any more.
func TestConditionThatCannotBeUndone(t *testing.T) {
	var now weir.Condition
	var log []string
	lab := conditions(&now, &log)
	lab.Apply = func(context.Context, ...weir.Condition) (func(context.Context) error, error) {
		now.Put(weir.Filters(25))
		return func(context.Context) error { return errors.New("it is stuck") }, nil
	}
	c, err := Run(t.Context(), parsed(t, fourLevels), lab, &memory{}, nil)
	if err == nil || !strings.Contains(err.Error(), `undo the condition "25 filters": it is stuck`) || len(c.Results) != 4 {
		t.Errorf("%d results, error %v", len(c.Results), err)
	}
}

// A size that the tester cannot send, or that the DUT does not forward, keeps
// no other one from being measured.
func TestSizesThatCannotBeMeasured(t *testing.T) {
	for name, c := range map[string]struct {
		lab  func(context.Context, weir.Trial) (weir.TrialResult, error)
		says string
	}{
		"not sent": {func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			if trial.Traffic.Name == "512" {
				return weir.TrialResult{}, errors.New("the port refuses frames of 512 octets")
			}
			return wire(ctx, trial)
		}, "self-test of the tester with frames of 512: trial 1: the port refuses"},
		"not forwarded": {func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := wire(ctx, trial)
			if trial.Traffic.Name == "512" && !trial.Bypass {
				r.Received = 0
			}
			return r, err
		}, "it was asked"},
	} {
		lab := Lab{Measure: c.lab, SelfTest: true, Diagnose: func(context.Context, weir.Traffic) []string { return []string{"it was asked"} }}
		got, err := Run(t.Context(), parsed(t, "testbed: {kind: sim}\ntraffic: {sizes: [64, 512, 1518]}\nmethods: frmol\n"), lab, &memory{}, nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || len(got.Results) != 2 {
			t.Errorf("%s: %d results, error %v", name, len(got.Results), err)
		}
	}
}
