package figures

import (
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

func TestIMIXEstimateNamesItsRow(t *testing.T) {
	c := samples.Further()
	rates := slices.DeleteFunc(c.Results, func(r weir.Result) bool { return r.Method != "throughput" })
	rates[0].Value = 0
	c.Results = rates
	if _, from := ImixEstimate(GridOf(c)); from != "the 64-octet rate (routes 10k)" {
		t.Errorf("it is from %s", from)
	}
	for i := range rates {
		rates[i].Value = 0
	}
	if mbits, _ := ImixEstimate(GridOf(c)); mbits != "" {
		t.Errorf("%s Mbit/s where nothing was forwarded", mbits)
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
