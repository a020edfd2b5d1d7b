package report

import (
	"encoding/json"
	"strings"
	"testing"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/testenv/samples"
)

// sampleUncounted is a sweep whose first two loads nobody knows the loss of: of one
// every window was left out, and in those of the other the DUT stood still.
func sampleUncounted() weir.Campaign {
	return samples.OneSweep(func(r *weir.Result) {
		for i, windows := range []int{0, 9, 9, 9} {
			load, lost := 4e5*float64(i+1), []float64{0, 0, .3, .5}[i]
			p := weir.Point{Branch: "up", Intended: load, Offered: load, LossRatio: lost,
				WindowPoint: &weir.WindowPoint{Load: load, Loss: lost, Lower: lost, Upper: lost, Windows: windows, LeftOut: 9 - windows}}
			if i > 1 {
				p.Forwarded = load * (1 - lost)
			}
			r.Curve = append(r.Curve, p)
		}
	})
}

// A load without a window that counts is no load without loss.
func TestUncountedLoads(t *testing.T) {
	c := sampleUncounted()
	for _, s := range figures.SweepPlot(c, figures.GridOf(c)).Series {
		if s.Line && (len(s.Points) != 2 || s.Points[0].X != 1.2e6) {
			t.Errorf("the line has the points %v, want those of 1.2 and 1.6 million alone", s.Points)
		}
	}
	var doc struct {
		Results []struct{ Curve []map[string]any }
	}
	if err := json.Unmarshal([]byte(renderWith(t, Options{}, "json", c)), &doc); err != nil {
		t.Fatal(err)
	}
	for i, p := range doc.Results[0].Curve {
		for _, name := range []string{"forwarded", "loss_ratio", "loss", "lower", "upper"} {
			if _, there := p[name]; there != (i > 1) {
				t.Errorf("load %d: that JSON has %s is %v", i, name, there)
			}
		}
		if p["windows"] == nil || p["load"] == nil {
			t.Errorf("load %d: JSON has %v", i, p)
		}
	}
	if text := render(t, "csv", c); !strings.Contains(text, "intended=400000 offered=400000 forwarded= load=up loss= lower= upper= windows=0 left_out=9; ") {
		t.Errorf("CSV has\n%s", text)
	}
	rows := figures.PointsOf(&c.Results[0]).Rows
	for i, want := range []string{"400.0 400.0 - up - - - 0 9", "800.0 800.0 - up - - - 9 0", "1,200.0 1,200.0 840.0 up 30.00 30.00 30.00 9 0"} {
		if got := strings.Join(document.InWords(rows[i]), " "); got != want {
			t.Errorf("the row is %q, want %q", got, want)
		}
	}
}
