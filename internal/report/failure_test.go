package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/testenv/samples"
)

func TestReasons(t *testing.T) {
	const log = "Connection from UDP: [198.18.0.2]:1; Connection from UDP: [198.18.0.2]:2; Connection from UDP: [198.18.0.2]:1"
	for name, c := range map[string]struct {
		ended string
		want  []weir.Reason
	}{
		"complete":    {"complete", nil},
		"interrupted": {"interrupted", nil},
		"short":       {"failed: no room; make some", []weir.Reason{{Text: "no room; make some"}}},
		"one reason for several": {
			"failed: latency with frames of 64: it is a share of the throughput, and there is none; latency with frames of 512: it is a share of the throughput, and there is none",
			[]weir.Reason{{Text: "latency with frames of 64, latency with frames of 512: it is a share of the throughput, and there is none"}},
		},
		"a log": {
			"failed: frmol with frames of 64: dut: snmpd -f: signal: killed: " + log + "; latency with frames of 64: dut: snmpd -f: signal: killed: " + log + "; bring it back",
			[]weir.Reason{{
				Text: "frmol with frames of 64, latency with frames of 64: dut: snmpd -f: signal: killed",
				Log:  []string{"Connection from UDP: [198.18.0.2]:1", "Connection from UDP: [198.18.0.2]:2", "bring it back"},
			}},
		},
		"a log that is marked": {
			"failed: dut: bird: exit status 1; last lines of its log: no such file\nno such user",
			[]weir.Reason{{Text: "dut: bird: exit status 1", Log: []string{"no such file", "no such user"}}},
		},
		"a diagnosis": {
			"failed: the DUT forwards nothing: 100 frames of 64, none came back; its counters: InNoRoutes 100; DUT port 0 is up; route of 198.18.0.2 to 9.9.9.9: none",
			[]weir.Reason{{Text: "the DUT forwards nothing: 100 frames of 64, none came back"}, {Text: "its counters: InNoRoutes 100"},
				{Text: "DUT port 0 is up"}, {Text: "route of 198.18.0.2 to 9.9.9.9: none"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, weir.Campaign{Ended: c.ended}.Reasons()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What ended a campaign is in all formats for people, a log marked as such.
func TestFailureIsTold(t *testing.T) {
	c := samples.Campaign()
	c.Ended = "failed: frmol with frames of 64: dut: snmpd -f: signal: killed: Connection from UDP: one; Connection from UDP: two"
	for _, format := range []string{"text", "markdown", "html"} {
		text := render(t, format, c)
		for _, want := range []string{"failed; this is what was measured until then", "snmpd -f: signal: killed", "last lines of its log:", "Connection from UDP: two"} {
			if n := strings.Count(text, want); n != 1 {
				t.Errorf("%s says %q %d times", format, want, n)
			}
		}
	}
}

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
