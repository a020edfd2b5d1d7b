package report

import (
	"strings"
	"testing"

	"weir/internal/figures"
)

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
