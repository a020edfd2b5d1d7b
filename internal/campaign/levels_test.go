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

func TestParseLevels(t *testing.T) {
	p := plan(t, `
traffic: {sizes: [128, {random: 350-550}, {name: thirds, mix: {128: 2, 512: 1}}, {imix: bbbd}], seed: 3}
dut: {napi: softirq, reset_hook: [/bin/power, cycle]}
modifiers:
  - plain
  - broadcast
  - bidirectional
  - {filters: 25, management: true, updates: yes}
  - {routes: 10k}
  - {routes: {count: 1000, seed: 2, via: bgp}}
  - {networks: 256}
  - {burst: 64, flows: 1000}
  - {napi: busy-poll}
  - {blend: 10%}
  - {pairs: 2}
`)
	var got []string
	for _, l := range p.Levels {
		f := factors(l.Traffic[0], l.Condition)
		delete(f, "frame_size")
		got = append(got, fmt.Sprint(l.Name, ": ", l.Condition, " ", levelsOf(f)))
	}
	want := []string{
		`plain: NAPI softirq {"napi":"softirq"}`,
		`broadcast: NAPI softirq {"broadcast":0.01,"napi":"softirq"}`,
		`bidirectional: NAPI softirq {"bidirectional":true,"napi":"softirq"}`,
		`filters 25, management true, updates yes: 25 filters, management queries, routing updates, NAPI softirq {"filters":25,"management":true,"napi":"softirq","updates":true}`,
		`routes 10k: 10000 ipv4 routes, NAPI softirq {"napi":"softirq","routes":10000}`,
		`routes (count 1000, seed 2, via bgp): 1000 ipv4 routes by bgp, NAPI softirq {"napi":"softirq","routes":1000,"routes_via":"bgp"}`,
		`networks 256: NAPI softirq {"napi":"softirq","networks":256}`,
		`burst 64, flows 1000: NAPI softirq {"burst":64,"flows":1000,"napi":"softirq"}`,
		`napi busy-poll: NAPI busy-poll {"napi":"busy-poll"}`,
		`blend 10%: NAPI softirq {"blend":0.1,"napi":"softirq"}`,
		`pairs 2: NAPI softirq {"napi":"softirq","pairs":2}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	sizes := p.Levels[0].Traffic
	if len(sizes) != 4 || sizes[1].Name != "350-550" || sizes[2].Name != "thirds" || sizes[3].Name != "bbbd" {
		t.Fatalf("sizes %+v", sizes)
	}
	if diff := cmp.Diff([]weir.Size{128, 512, 128}, sizes[2].Sizes); diff != "" {
		t.Errorf("a mix of two to one (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]weir.Size{128, 128, 128, 512}, sizes[3].Sizes); diff != "" {
		t.Errorf("a genome (-want +got):\n%s", diff)
	}
	// The condition with NAPI alone has the traffic of the plain one.
	if want := 4 * 9; len(p.Traffic) != want {
		t.Errorf("%d distinct traffics, want %d", len(p.Traffic), want)
	}
	d := p.Levels[6].Traffic[0].Forward.Destination
	if d.Count != 256 || d.Stride != 32 || d.Order != weir.Random || p.Levels[6].Traffic[0].Flows < 2000 {
		t.Errorf("256 networks: %+v", d)
	}
	if r := p.Levels[4].Traffic[0]; r.Routes.Count != 10000 || r.Flows != 10000 {
		t.Errorf("10,000 routes: %d flows to %+v", r.Flows, r.Routes)
	}
	if diff := cmp.Diff([]string{"/bin/power", "cycle"}, p.DUT.ResetHook); diff != "" {
		t.Error(diff)
	}
}

// Where a level has several pairs of ports all levels leave the others their
// part of the addresses: the lab has these ports from the beginning.
func TestPairsOfOtherLevels(t *testing.T) {
	alone := plan(t, "traffic: {sizes: [128]}\nmodifiers: [plain, {networks: 256}]\n")
	if d := alone.Levels[1].Traffic[0].Forward.Destination; d.Count != 256 || d.Stride != 256 {
		t.Errorf("256 networks in a lab of one pair: %+v", d)
	}
	text := "traffic: {sizes: [128], destination: 198.19.40.2}\nmodifiers: [plain, {pairs: 2}]\n"
	_, err := Parse("plan.yaml", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "the lab has 2 pairs of ports for another level") {
		t.Errorf("a destination at the port of another pair: %v", err)
	}
}

func TestParseExtensions(t *testing.T) {
	p := plan(t, "traffic: {family: ipv6, sizes: [128], extensions: [hop-by-hop, destination]}\nmodifiers: [plain, {extensions: {headers: routing, share: 10%}}]\n")
	six := plan(t, "traffic: {family: ipv6, sizes: [128]}\nmodifiers: [{networks: 16}, {networks: 256, pairs: 1}]\n")
	for i, want := range []string{`"networks":16}`, `"networks":256}`} {
		if got := levelsOf(factors(six.Levels[i].Traffic[0], weir.Condition{})); !strings.HasSuffix(got, want) {
			t.Errorf("level %d has %s, not %s", i, got, want)
		}
	}
	for i, want := range []string{`"extensions":"hop-by-hop+destination"`, `"extended":0.1,"extensions":"routing"`} {
		if got := levelsOf(factors(p.Levels[i].Traffic[0], weir.Condition{})); !strings.Contains(got, want) {
			t.Errorf("level %d has %s, not %s", i, got, want)
		}
	}
}

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
			if c.Routes.Count > 0 {
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
	c, err := Run(t.Context(), plan(t, fourLevels), conditions(&now, &log), &rec, nil)
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
	c, err := Run(t.Context(), plan(t, fourLevels), Lab{Measure: wire}, &rec, nil)
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
		now.Filters = 25
		return func(context.Context) error { return errors.New("it is stuck") }, nil
	}
	c, err := Run(t.Context(), plan(t, fourLevels), lab, &memory{}, nil)
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
		lab := Lab{Measure: c.lab, SelfTest: true, Diagnose: func(context.Context, weir.Traffic) string { return "it was asked" }}
		got, err := Run(t.Context(), plan(t, "testbed: {kind: sim}\ntraffic: {sizes: [64, 512, 1518]}\nmethods: frmol\n"), lab, &memory{}, nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || len(got.Results) != 2 {
			t.Errorf("%s: %d results, error %v", name, len(got.Results), err)
		}
	}
}
