package figures

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/testenv/samples"
)

// Where the medium has a limit, the single number stands beside it.
func TestMediumLimit(t *testing.T) {
	c := samples.Campaign()
	c.Results[0].Figures = []weir.Figure{{Name: claim.TheoreticalMaximum, Value: 1_488_095, Unit: "frames/s"}}
	if text := single(c, GridOf(c)); !strings.HasSuffix(text, "the medium carries 1,488.1 kpps") {
		t.Error(text)
	}
}

// The goals of an MLRsearch share their trials, which count once.
func TestTrialsCountOnce(t *testing.T) {
	c := weir.Campaign{}
	for _, loss := range []float64{0, .005} {
		c.Results = append(c.Results, weir.Result{Method: "mlrsearch", Unit: "frames/s", Factors: weir.Factors{"frame_size": 64},
			LossRatio: loss, TrialSeconds: 1, Trials: 22, SearchTime: 22, First: 5, Last: 26})
	}
	list := Procedures(c, GridOf(c))
	if len(list) != 1 || list[0].Trials != 22 || list[0].Results != 2 || list[0].Spent != 22 {
		t.Errorf("%+v", list)
	}
}

// rated is a campaign of throughputs, by size.
func rated(rates map[weir.Size]float64, change func(*weir.Result)) weir.Campaign {
	var c weir.Campaign
	for _, size := range slices.Sorted(maps.Keys(rates)) {
		r := weir.Result{
			Method: "throughput", Factors: weir.Factors{"frame_size": int(size)}, MeanSize: float64(size), Unit: "frames/s",
			Value: rates[size], Lower: rates[size], Upper: 1.01 * rates[size],
		}
		if change != nil {
			change(&r)
		}
		c.Results = append(c.Results, r)
	}
	return c
}

// There is an estimate where frames are the limit, whatever their size, and no other.
func TestIMIXEstimateHasItsCondition(t *testing.T) {
	const kbytes = 1_024_000. // octets of IP a second
	for name, tt := range map[string]struct {
		rates       map[weir.Size]float64
		change      func(*weir.Result)
		label, text string
	}{
		"frames": {map[weir.Size]float64{64: 1e6, 512: 1.02e6, 1518: .97e6}, nil, "IMIX estimate from the 64-octet rate", " Mbit/s"},
		"octets": {map[weir.Size]float64{64: kbytes / 46, 512: kbytes / 494, 1518: kbytes / 1500}, nil,
			"no IMIX estimate", "the limit is one of octets and not of frames: 8.19 Mbit/s of IP packets at all sizes"},
		"two sizes":  {map[weir.Size]float64{64: kbytes / 46, 1518: kbytes / 1500}, nil, "no IMIX estimate", "the limit is one of octets"},
		"a medium":   {map[weir.Size]float64{64: 1e8 / 8 / 84, 1518: 1e8 / 8 / 1538}, nil, "no IMIX estimate", "100 Mbit/s of frames on the medium"},
		"neither":    {map[weir.Size]float64{64: 1e6, 1518: .5e6}, nil, "no IMIX estimate", "the rate in frames depends on their size: 1,000,000 frames/s of 64 octets, 500,000 of 1518"},
		"one size":   {map[weir.Size]float64{64: 1e6}, nil, "", ""},
		"at least":   {map[weir.Size]float64{64: 1e6, 1518: 1e6}, func(r *weir.Result) { r.Warnings = []weir.Warning{{Code: weir.SearchLimit}} }, "", ""},
		"not ended":  {map[weir.Size]float64{64: 1e6, 1518: 1e6}, func(r *weir.Result) { r.Verdict = "not ended" }, "", ""},
		"unmeasured": {map[weir.Size]float64{64: 1e6, 1518: 1e6}, func(r *weir.Result) { r.Unmeasured = "lost" }, "", ""},
		"0":          {map[weir.Size]float64{64: 0, 1518: 0}, nil, "", ""},
	} {
		label, text := ImixEstimate(GridOf(rated(tt.rates, tt.change)))
		if !strings.HasPrefix(label, tt.label) || !strings.Contains(text, tt.text) || (tt.text == "") != (text == "") {
			t.Errorf("%s: %q, %q; want %q, %q", name, label, text, tt.label, tt.text)
		}
	}
}

// Where a control plane is silent a plot has no point, so words say it.
func TestSilences(t *testing.T) {
	r := &weir.Result{Curve: []weir.Point{
		{Offered: 1e6, Probe: &weir.Probe{EchoSent: 50, EchoLost: 49, AcceptTried: 50}},
		{Offered: 2e6, Probe: &weir.Probe{EchoSent: 50, EchoLost: 50, AcceptTried: 50, AcceptFailed: 50}},
		{Offered: 3e6, Probe: &weir.Probe{EchoSent: 50, EchoLost: 50, AcceptTried: 50}},
	}}
	want := []string{"No echo came back at an offered load of 2,000.0 and 3,000.0 kpps.", "No TCP connection was taken at an offered load of 2,000.0 kpps."}
	if got := silences(r); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Of many spans the longest are listed, in the order of time.
func TestSpans(t *testing.T) {
	line := weir.Timeline{More: 3}
	for i := range 30 {
		from := time.Duration(i) * time.Second
		line.Episodes = append(line.Episodes, weir.Episode{From: from, Until: from + time.Duration(1+i%15)*time.Millisecond, Lost: 1})
	}
	trial := weir.TrialResult{Trial: weir.Trial{Number: 4, Duration: time.Minute}, Timeline: &line}
	spans, more := spansOf([]weir.TrialResult{trial})
	if len(spans) != maxSpans || more != 13 {
		t.Errorf("%d spans and %d more", len(spans), more)
	}
	if spans[0].After != 5*time.Second || spans[0].Length != 6*time.Millisecond {
		t.Errorf("the first is %+v", spans[0])
	}
	if !slices.IsSortedFunc(spans, func(a, b span) int { return int(a.After - b.After) }) {
		t.Error("not in the order of time")
	}
}

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

// Links without a rate, as virtual ones, are no medium.
func TestNoMedium(t *testing.T) {
	g := GridOf(weir.Campaign{Results: []weir.Result{
		{Method: "self-test", Unit: "frames/s", Value: 20e6, MeanSize: 1518, Factors: weir.Factors{"frame_size": 1518}},
		{Method: "throughput", Unit: "frames/s", Value: 50e3, MeanSize: 1518, Factors: weir.Factors{"frame_size": 1518}},
	}})
	if m, known := mediumFor(g); known {
		t.Errorf("the medium is %s", m.name)
	}
}
