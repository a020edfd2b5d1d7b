package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/proof"
	"weir/internal/testenv/samples"
	"weir/stats"
)

// What differs by chance is not shown, and what grows with the work is taken
// for each frame.
func TestReadings(t *testing.T) {
	c := samples.Study()
	s := studiesOf(c)[0]
	var names []string
	for _, row := range s.readings(c).Rows {
		names = append(names, row[0].Text)
	}
	if !slices.Equal(names[:2], []string{"conntrack: entries", "energy: package"}) {
		t.Errorf("readings are %v", names)
	}
}

// What grows with the work is taken for each frame, and chance is no difference.
func TestGauges(t *testing.T) {
	a := weir.TrialResult{Received: 1000, Readings: []weir.Reading{{Source: "cpu", Name: "time", Value: 2, Unit: "s"}, {Source: "cpu", Name: "clock", Value: 2e9, Unit: "Hz"}}}
	list := gauges(map[string][]weir.TrialResult{"x": {a}})
	if len(list) != 2 || list[0].values["x"][0] != 2e9 || list[1].values["x"][0] != .002 {
		t.Errorf("gauges are %+v", list)
	}
	chance := gauge{values: map[string][]float64{"firewall none": {1, 3, 2}, "firewall stateful": {2, 3, 2}}}
	if spread := chance.spread([]string{"firewall none", "firewall stateful"}); spread != 0 {
		t.Errorf("chance has a spread of %g", spread)
	}
}

// Programs have the readings of each result, in base units.
func TestReadingsForPrograms(t *testing.T) {
	c := samples.Study()
	for i, said := range resultReadings(c) {
		if len(said) != 4 || said[0].String() == "" {
			t.Fatalf("result %d has the readings %v", i, said)
		}
	}
	text := render(t, "csv", c)
	heads, rest, _ := strings.Cut(text, "\n")
	first, _, _ := strings.Cut(rest, "\n")
	if !strings.HasSuffix(heads, ",readings") || !strings.Contains(first, "energy: package=") || !strings.Contains(first, " J/frame; ") {
		t.Errorf("a row of CSV is\n%s\n%s", heads, first)
	}
	if !strings.Contains(render(t, "json", c), `"per_frame": true`) {
		t.Error("JSON has no readings")
	}
}

// The trial that a result comes from is that of its load, not a later one.
func TestDecider(t *testing.T) {
	trial := func(n int, load float64) weir.TrialResult {
		return weir.TrialResult{Trial: weir.Trial{Number: n, Intended: load}}
	}
	c := weir.Campaign{Trials: []weir.TrialResult{trial(1, 100), trial(4, 200), trial(5, 150), trial(6, 175), trial(9, 150)}}
	c.Trials[4].Trial.Bypass = true
	for _, k := range []struct {
		result weir.Result
		want   int
	}{{weir.Result{First: 4, Last: 9, Value: 150}, 5}, {weir.Result{First: 4, Last: 9, Value: 1}, 6}, {weir.Result{First: 7, Last: 8}, 0}, {weir.Result{Value: 100}, 0}} {
		got := 0
		if d := decider(c, &k.result); d != nil {
			got = d.Trial.Number
		}
		if got != k.want {
			t.Errorf("%+v comes from trial %d, want %d", k.result, got, k.want)
		}
	}
}

// A baseline that differs from itself is said at once, and fails.
func TestFailedAgain(t *testing.T) {
	p := madeProof(stats.Vetoed, stats.Interval{Estimate: -.1, Lower: -.11, Upper: -.09}, func(c *proof.Comparison) {
		c.Same = &stats.Effect{Arm: "firewall none (A/A)", Change: stats.Interval{Estimate: .03, Lower: .02, Upper: .04}, P: .001, Verdict: stats.Proven}
	})
	p.Vetoes = []weir.Warning{{Code: stats.BaselineDiffers, Text: "firewall none differs from itself by +3 % (+2 to +4 %, p = 0.001): what differs is the order"}}
	p.Comparisons[0].Vetoes = p.Vetoes
	var b bytes.Buffer
	if err := WriteProof(&b, "text", p, Compared{}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"no verdict: firewall none differs from itself by +3 % (+2 to +4 %, p = 0.001) Compared", "in 1 of 1 comparisons (A/A), so that nothing is proven",
		"firewall none twice differs by +3.0 % (+2.0 to +4.0 %), p 0.001; FAILS"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, &b)
		}
	}
	if n := strings.Count(text, "what differs is the order"); n != 1 {
		t.Errorf("the veto is told %d times", n)
	}
}

// A campaign that has only begun has a report: the reason in place of a verdict.
func TestFewRuns(t *testing.T) {
	c := sampleInconclusive()
	c.Results = c.Results[:4]
	for _, format := range Formats() {
		got := render(t, format, c)
		if format == "text" && !strings.HasPrefix(got, "no verdict: ") {
			t.Errorf("it begins with %.80q", got)
		}
	}
	c.Results = nil
	if got := render(t, "text", c); !strings.Contains(got, "no results") {
		t.Errorf("of no results:\n%s", got)
	}
}

// What a block shares is taken out of its runs.
func TestSharedOfBlocks(t *testing.T) {
	c := proof.Comparison{Comparison: stats.Comparison{Blocks: 2}}
	for block, values := range map[int][]float64{1: {100, 80}, 2: {200, 160}} {
		for _, v := range values {
			c.Runs = append(c.Runs, proof.Sample{Run: weir.Run{Block: block}, Value: v})
		}
	}
	shared := sharedOf(c)
	if a, b := 100/shared[1], 200/shared[2]; math.Abs(a-b) > 1e-9 {
		t.Errorf("%g and %g", a, b)
	}
	c.Blocks = 0
	if shared := sharedOf(c); shared[1] != 1 || shared[2] != 1 {
		t.Errorf("without blocks: %v", shared)
	}
}

// Pooled results stand for the runs of one arm and one traffic, without the A/A.
func TestPooled(t *testing.T) {
	c := samples.Study()
	p, runs := pooled(c, *c.Manifest.Experiment)
	if len(p.Results) != 12 {
		t.Fatalf("%d rows", len(p.Results))
	}
	for i, r := range p.Results {
		if len(runs[i]) != 6 || r.Trials != 54 || r.Ledger.Offered < 6*500_000 || r.Lower > r.Value || r.Upper < r.Value {
			t.Errorf("%d runs: %+v", len(runs[i]), r)
		}
	}
	if got := p.Results[0].Factors["firewall"]; got != "none" {
		t.Errorf("the first row is of %v", got)
	}
}
