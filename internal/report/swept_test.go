package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"weir"
	"weir/internal/figures"
	"weir/internal/testenv/samples"
)

func renderWith(t *testing.T, o Options, format string, c weir.Campaign) string {
	t.Helper()
	var b bytes.Buffer
	if err := o.Write(&b, format, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenSwept(t *testing.T) {
	for _, c := range []struct {
		file, format string
		options      Options
		campaign     weir.Campaign
	}{
		{"swept.txt", "text", Options{}, sampleSwept()},
		{"bench.txt", "text", Options{}, sampleBench()},
		{"bench-60.txt", "text", Options{Width: 60}, sampleBench()},
		{"bench-all.txt", "text", Options{Verbose: true}, sampleBench()},
		{"bench.md", "markdown", Options{}, sampleBench()},
		{"beside.txt", "text", Options{}, sampleBeside(3)},
		{"beside-60.txt", "text", Options{Width: 60}, sampleBeside(30)},
		{"swept.csv", "csv", Options{}, sampleSwept()},
		{"overload.txt", "text", Options{Verbose: true}, samples.Overload()},
		{"further-brief.txt", "text", Options{}, samples.Further()},
		{"study-brief.txt", "text", Options{}, samples.Study()},
		{"transfers-brief.txt", "text", Options{}, sampleGbit()},
	} {
		golden(t, c.file, renderWith(t, c.options, c.format, c.campaign))
	}
}

// What a terminal is shown of a bench fits it, and leaves room for what comes
// before and after it.
func TestBriefFits(t *testing.T) {
	for _, width := range []int{1, 60, 72, 80, 100, 200} {
		lines := strings.Split(strings.TrimSuffix(renderWith(t, Options{Width: width}, "text", sampleBench()), "\n"), "\n")
		if len(lines) > 26 {
			t.Errorf("%d lines on %d columns", len(lines), width)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > max(60, min(width, 100)) {
				t.Errorf("line of %d columns of %d: %s", n, width, line)
			}
		}
	}
}

// What no table has is there in a line each, as far as a screen has room.
func TestBriefBeside(t *testing.T) {
	for n := range 40 {
		text := renderWith(t, Options{}, "text", sampleBeside(n))
		if lines := strings.Count(text, "\n"); lines > 28 {
			t.Errorf("%d lines with %d further results", lines, n)
		}
		shown := strings.Count(text, "fib-learning")
		if _, rest, cut := strings.Cut(text, "\nand "); cut {
			var more int
			if _, err := fmt.Sscanf(rest, "%d more: weir report -v 20261122-0936-6db6", &more); err != nil || more < 2 {
				t.Errorf("%d further results: what is left out is told as %.60q", n, rest)
			}
			shown += more
		}
		if shown != n {
			t.Errorf("%d of %d further results are there or told to be elsewhere", shown, n)
		}
	}
}

// Where there is no interval yet, that is said, and no margin is.
func TestSweptWithoutAnInterval(t *testing.T) {
	c := samples.OneSweep(samples.FirstRound)
	for format, want := range map[string]string{
		"text": "at 790 kpps (no interval yet) without loss",
		"html": "kpps (no interval yet) without loss",
		"csv":  "capacity, windows\",64,800000,frames/s,,,0.005",
		"json": "\"lower\": 0",
	} {
		if got := renderWith(t, Options{}, format, c); !strings.Contains(got, want) || strings.Contains(got, "(+-") {
			t.Errorf("%s has no %q: %s", format, want, got)
		}
	}
	c = samples.OneSweep(func(r *weir.Result) { r.KneeZero.Upper = 3 * r.KneeZero.Value })
	if got := figures.Headline(c, figures.GridOf(c)).String(); !strings.Contains(got, "at 790 kpps (750 to 2,370) without loss") {
		t.Errorf("bounds far apart are told as %q", got)
	}
	if got := figures.TrustOf(c, figures.GridOf(c)).String(); !strings.Contains(got, "over 3 rounds") {
		t.Errorf("of three rounds of one sweep, trust is %q", got)
	}
	c = samples.OneSweep(samples.FirstRound)
	if got := figures.TrustOf(c, figures.GridOf(c)).String(); got != "quiet: no window of 400 was left out; no interval yet" {
		t.Errorf("trust is %q", got)
	}
}

// Of a campaign that goes round each format shows the last round alone.
func TestLatestRound(t *testing.T) {
	c := weir.Campaign{}
	for round := 1; round <= 3; round++ {
		c.Results = append(c.Results, weir.Result{Method: "sweep", Unit: "frames/s", Value: 7e5 + float64(round), Round: round,
			Factors: weir.Factors{"frame_size": 64}})
	}
	var doc struct{ Results []struct{ Value float64 } }
	if err := json.Unmarshal([]byte(render(t, "json", c)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Results) != 1 || doc.Results[0].Value != 700003 {
		t.Errorf("the results are %+v, want that of round 3", doc.Results)
	}
}

// The chart of sweeps has a line for each size that has a curve, up to about twice
// the knee, and no more windows behind them than a page can hold.
func TestSweepPlot(t *testing.T) {
	c := sampleSwept()
	const maxWindows, beyondKnee = 2000, 2 // as of the chart
	v := viewOf(latest(c))
	out := figures.SweepPlot(v.Campaign, v.Grid)
	var names []string
	windows, farthest := 0, 0.
	for _, s := range out.Series {
		if s.Name != "" {
			names = append(names, s.Name)
		}
		if s.Faint {
			windows += len(s.Points)
		}
		for _, p := range s.Points {
			farthest = max(farthest, p.X)
		}
	}
	if got := strings.Join(names, " "); got != "64 512 imix" {
		t.Errorf("there are lines of %s", got)
	}
	if windows < maxWindows/3 || windows > maxWindows {
		t.Errorf("there are %d windows, want as many as %d allow, of all rounds", windows, maxWindows)
	}
	if knee := 816_462.; farthest > beyondKnee*knee || farthest < 1.8*knee {
		t.Errorf("it goes up to %v", farthest)
	}
	c.Trials = nil // as of a campaign that was abridged
	if figures.SweepPlot(viewOf(latest(c)).Campaign, v.Grid).Empty() {
		t.Error("without trials there is no curve")
	}
	page := render(t, "html", sampleBench())
	for _, part := range []string{`Loss over load`, `class="band c0"`, `class="faint c2"`, `<p class="badge `, `id="comparison"`} {
		if strings.Count(page, part) == 0 {
			t.Errorf("the page has no %s", part)
		}
	}
	if n := strings.Count(page, "<h1"); n != 1 {
		t.Errorf("the page has %d headings", n)
	}
}
