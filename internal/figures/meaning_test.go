package figures

import (
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

// A plot of offered and forwarded rates has only trials of one steady load, and
// no CPU time is shown of a burst.
func TestPlotsOfOneLoad(t *testing.T) {
	c := samples.Shares()
	g := GridOf(c)
	points := 0
	for _, s := range LossPlot(c, g).Series {
		points += len(s.Points)
	}
	if points != 2 {
		t.Errorf("%d trials in the plot, want the 2 of the jitter", points)
	}
	for _, s := range CPUPlots(g)[0].Series {
		if s.Name == "back-to-back" {
			t.Error("the CPU time of a burst is shown")
		}
	}
}

func TestHeadlines(t *testing.T) {
	result := func(method, unit string, value float64) weir.Result {
		return weir.Result{Method: method, Unit: unit, Value: value, Factors: weir.Factors{"frame_size": 64}}
	}
	lossy, graceful := result("loss-rate", "frames/s", 0), result("overload", "frames/s", 5e5)
	lossy.Upper, graceful.Verdict = 2e6, "graceful"
	goal := result("mlrsearch", "frames/s", 5e5)
	goal.LossRatio = .005
	for _, c := range []struct {
		results []weir.Result
		want    string
	}{
		{nil, "Nothing was measured yet."},
		{[]weir.Result{result("frmol", "frames/s", 8e5)}, "This box forwards 800 kpps of 64-octet frames at the maximum offered load."},
		{[]weir.Result{result("self-test", "frames/s", 2e6), graceful}, "This box, 64-octet frames: MLFRR is 500.0 kpps (graceful)."},
		{[]weir.Result{goal}, "This box, 64-octet frames: conditional throughput at 0.5 % loss is 500.0 kpps."},
		{[]weir.Result{lossy}, "This box loses some 64-octet frames at every load that was tried, from 2,000.0 kpps up."},
		{[]weir.Result{result("latency", "s", 20e-6)}, "This box, 64-octet frames: latency is 20.0 us."},
	} {
		campaign := weir.Campaign{Results: c.results}
		if got := Headline(campaign, GridOf(campaign)).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		unit      string
		want      string
	}{
		{265, 267, "frames", "265 to 267 frames"}, {0, 2e6, "frames/s", "0 to 2,000.0 kpps"}, {0, 28.6e-6, "s", "0 to 28.6 us"},
		{900e-6, 1.2e-3, "s", "900.0 us to 1.20 ms"}, {.01, .02, "", "1 to 2 %"},
	} {
		if got := interval(c.low, c.high, c.unit); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The tester alone is no rate of the DUT, and needs no faster medium.
func TestMediumIsForTheDUT(t *testing.T) {
	g := GridOf(weir.Campaign{Results: []weir.Result{
		{Method: "self-test", Unit: "frames/s", Value: 20e6, MeanSize: 1518, Factors: weir.Factors{"frame_size": 1518}},
		{Method: "throughput", Unit: "frames/s", Value: 50e3, MeanSize: 1518, Factors: weir.Factors{"frame_size": 1518}},
	}})
	if m := mediumFor(g); m.name != "1GbE" {
		t.Errorf("the medium is %s", m.name)
	}
}
