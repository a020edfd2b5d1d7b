package figures

import (
	"fmt"
	"testing"

	"weir"
	"weir/internal/chart"
	"weir/internal/claim"
	"weir/internal/testenv/samples"
)

// A result without a place in the main table is no row of it.
func TestTableOfFurtherResults(t *testing.T) {
	g := GridOf(samples.Further())
	var labels []string
	for _, line := range ResultsTable(g).Rows {
		labels = append(labels, line[0].Text)
	}
	if got, want := fmt.Sprint(labels), "[64 routes 1 64 routes 10k 64 routes 500k]"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if n := len(FurtherOf(samples.Further(), g, false)); n != 5 {
		t.Errorf("%d further results, want 5", n)
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{812_400, "frames/s", "812.4 kpps"}, {0, "s", "0 s"}, {17.1e-6, "s", "17.1 us"}, {.0042, "s", "4.20 ms"}, {61.25, "s", "61.2 s"},
		{-2e-6, "s", "-2.0 us"}, {1234, "frames", "1,234 frames"}, {1.5, "frames", "1.50 frames"}, {.58, "", "58 %"}, {1e-5, "", "0.001 %"}, {52_000, "prefixes/s", "52,000 prefixes/s"},
	} {
		if got := Quantity(c.value, c.unit); got != c.want {
			t.Errorf("%v %s is %q, want %q", c.value, c.unit, got, c.want)
		}
	}
}

// A figure without a unit is a share only where its name is one of those.
func TestFiguresWithoutUnit(t *testing.T) {
	for name, want := range map[string]string{
		claim.CPUOfSource: "150.0 %", claim.BufferDelay: "150.0 %", claim.LossAtMaximum: "150 %", claim.StreamLoss: "150 %",
		claim.TransferRatio: "1.50", claim.Repetitions: "1.50", "loss that others call so": "1.50",
	} {
		if got := figureQuantity(weir.Figure{Name: name, Value: 1.5}); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// More lines than there are colours are told apart by dashes.
func TestManyLines(t *testing.T) {
	c := samples.Campaign()
	r := weir.Result{Method: "loss-rate", Unit: "frames/s", Curve: []weir.Point{{Offered: 1e6, Forwarded: 9e5, LossRatio: .1}}}
	c.Results = nil
	for size := range chart.Palette + 1 {
		r.Factors = weir.Factors{"frame_size": 64 + size}
		c.Results = append(c.Results, r)
	}
	series := LossRatePlot(GridOf(c)).Series
	if last := series[len(series)-1]; len(series) != chart.Palette+1 || !last.Dashed || series[0].Dashed {
		t.Errorf("the last of %d lines is %+v", len(series), last)
	}
}
