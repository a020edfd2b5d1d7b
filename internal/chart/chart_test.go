package chart

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestNiceTicks(t *testing.T) {
	for _, c := range []struct {
		name string
		got  []float64
		want []float64
	}{
		{"linear", niceLinear(0, 812_000, 6), []float64{0, 200e3, 400e3, 600e3, 800e3, 1e6}},
		{"linear, exact", niceLinear(0, 100, 5), []float64{0, 20, 40, 60, 80, 100}},
		{"linear, not from 0", niceLinear(93, 107, 4), []float64{90, 95, 100, 105, 110}},
		{"log", niceLog(5.5e5, 1.4e7, 6), []float64{5e5, 1e6, 2e6, 5e6, 1e7, 2e7}},
		{"log, many decades", niceLog(1, 1e6, 7), []float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6}},
		{"log, one value", niceLog(7, 7, 4), []float64{5, 10}},
	} {
		if diff := cmp.Diff(c.want, c.got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestAxisPlaces(t *testing.T) {
	linear := Axis{Min: 0, Max: 10, from: 100, to: 300}
	log := Axis{Log: true, Min: 1, Max: 100, from: 300, to: 100}
	for _, c := range []struct{ got, want float64 }{
		{linear.at(0), 100}, {linear.at(2.5), 150}, {linear.at(10), 300},
		{log.at(1), 300}, {log.at(10), 200}, {log.at(100), 100},
	} {
		if diff := cmp.Diff(c.want, c.got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Error(diff)
		}
	}
}

// Labels that would collide give way, but not the last.
func TestFittingTicks(t *testing.T) {
	a := Axis{Min: 0, Max: 100, from: 0, to: 100, Ticks: []Tick{{0, "0"}, {5, "5"}, {50, "50"}, {90, "90"}, {100, "100"}}}
	want := []Tick{{0, "0"}, {50, "50"}, {100, "100"}}
	if diff := cmp.Diff(want, a.fitting()); diff != "" {
		t.Error(diff)
	}
}

// evil is a chart whose words would break out of their places, and whose
// points have none.
var evil = Chart{Title: `"<rates>"`, X: Axis{Label: "a<b"}, Y: Axis{Label: "</script>", Log: true}, Series: []Series{
	{Name: `x & "y"`, Line: true, Dots: true, End: "<end>", Points: []Point{{X: 1, Y: 0}, {X: 2, Y: 10, Tip: "<tip>"}, {X: 3, Y: 1e4, Low: -1, High: 2e4}, {X: math.NaN(), Y: 1}, {X: 4, Y: math.Inf(1)}}},
	{Color: Muted, Line: true, Dashed: true},
	{Name: "none", Color: 3, Bars: true, Points: []Point{{X: math.Inf(-1), Y: 3}}},
}}

// A figure is well-formed, escapes what it shows, and stands points that have
// no place.
func TestFigure(t *testing.T) {
	text := string(evil.HTML(500, 300))
	wellFormed(t, text)
	for _, wrong := range []string{"NaN", "Inf", "<tip>", "<end>", "a<b", "none"} {
		if strings.Contains(text, wrong) {
			t.Errorf("there is %s in %s", wrong, text)
		}
	}
	if n := strings.Count(string(evil.placed().svg(500, 300)), `class="dot`); n != 2 {
		t.Errorf("%d dots, want 2: a logarithmic axis has no 0", n)
	}
	if !strings.Contains(text, "</svg>x &amp; &#34;y&#34;</span>") {
		t.Errorf("no legend in %s", text)
	}
	wellFormed(t, string(Chart{}.HTML(500, 300)))
}

// The numbers are those of the picture, in the words of its axes.
func TestNumbers(t *testing.T) {
	c := Chart{X: Axis{Categories: true, Ticks: []Tick{{0, "off"}, {1, "on"}}}, Y: Axis{Label: "kpps"}, Series: []Series{
		{Name: "runs", Dots: true, Points: []Point{{X: .8, Y: 1234.56789}, {X: 1.2, Y: 2e7, Hollow: true}}},
		{Points: []Point{{X: 0, Y: 3, Low: 2.5, High: 3.5}}},
		{Faint: true, Points: []Point{{X: 1, Y: 77}}},
	}}
	got := c.placed().numbers()
	for _, want := range []string{
		"<th>series</th><th>at</th><th>kpps</th><th>from</th><th>to</th><th>note</th>",
		"<td>runs</td><td>on</td><td>1234.568</td><td></td><td></td><td></td>",
		"<td>runs</td><td>on</td><td>20000000</td><td></td><td></td><td>does not count</td>",
		"<td>runs</td><td>off</td><td>3</td><td>2.5</td><td>3.5</td><td></td>",
		"Not listed: faint points (1).",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in %s", want, got)
		}
	}
	latency := Axis{Log: true, Percentiles: true, Min: 1, Max: 1500}
	latency.settle(5)
	if diff := cmp.Diff([]Tick{{2, "50 %"}, {10, "90 %"}, {100, "99 %"}, {1000, "99.9 %"}}, latency.Ticks, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Error(diff)
	}
	for v, want := range map[float64]string{812_000: "812 k", 14_880_952: "14.9 M", 500: "500"} {
		if got := (Axis{}).label(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{1000: "1,000", 999.5: "999.5", .25: "0.25"} {
		if got := (Axis{Plain: true}).label(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%v in %s", err, text)
			return
		}
	}
}

// Where one value is all that there is, it stands in the middle of the axis;
// the last label is moved into the chart and collides with none there.
func TestAxisOfOneValue(t *testing.T) {
	a := Axis{Log: true}
	a.include(20)
	a.settle(6)
	if a.Min >= 20 || a.Max <= 20 {
		t.Errorf("from %v to %v", a.Min, a.Max)
	}
	b := Axis{Min: 0, Max: 100, from: 0, to: 200, Ticks: []Tick{{70, "99.999 %"}, {100, "99.9999 %"}}}
	if got := b.fitting(); len(got) != 1 || got[0].Label != "99.9999 %" {
		t.Errorf("labels on top of each other: %+v", got)
	}
}
