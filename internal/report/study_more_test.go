package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/figures"
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

// Programs have the readings of each result, in base units.
func TestReadingsForPrograms(t *testing.T) {
	c := samples.Study()
	for i, said := range figures.ResultReadings(c) {
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

// A baseline that differs from itself is said at once, and fails.
func TestFailedAgain(t *testing.T) {
	p := madeProof(stats.Vetoed, stats.Interval{Estimate: -.1, Lower: -.11, Upper: -.09}, func(c *proof.Comparison) {
		c.Same = &stats.Effect{Arm: "firewall none (A/A)", Change: stats.Interval{Estimate: .03, Lower: .02, Upper: .04}, P: .001, Verdict: stats.Proven}
	})
	p.Vetoes = []weir.Warning{{Code: stats.BaselineDiffers, Sentence: weir.Say("firewall none differs from itself by +3 %% (+2 to +4 %%, p = 0.001)").Then(": what differs is the order")}}
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
