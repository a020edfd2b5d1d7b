package report

import (
	"slices"
	"strings"
	"testing"
	"time"
	"weir/internal/testenv/samples"

	"weir"
)

// sampleSecond is the sample with a second throughput, the latency of tagged
// frames, and management queries.
func sampleSecond() weir.Campaign {
	c := samples.Campaign()
	c.Results = c.Results[:4]
	second := c.Results[0]
	second.Value, second.TrialSeconds, second.Verdict = 790_000, 60, "search not ended"
	tagged := &c.Results[3]
	tagged.Value, tagged.Lower, tagged.Upper = 44.4e-6, 33.3e-6, 55.5e-6
	tagged.Figures = []weir.Figure{{Name: "tagged frames", Value: 20, Unit: "frames"}}
	c.Results = append(c.Results, second)
	c.Trials[0].Queries = &weir.Queries{Sent: 60, Answered: 58, Fault: "no answer in time"}
	c.Trials[1].Queries = &weir.Queries{Sent: 60, Answered: 60}
	return c
}

// Nothing that was measured is hidden, and a single number has company.
func TestAllIsTold(t *testing.T) {
	for format, wants := range map[string][]string{
		"text": {
			"p99 us", "tagged us", " 44.4 ",
			"64 latency: 44.4 us (33.3 to 55.5 us) [4]", "tagged frames 20",
			"64 throughput: 790.0 kpps, search not ended", "trials 60 s; width 0.4 %",
			"management queries, 64: 120 sent, 118 answered: no answer in time",
			"815.6 kpps with frames of 64 octets, UDP over IPv4", "was 3,912.0 (64)", "RFC 1242 section 3.8",
		},
		"markdown": {"latency, tagged us", "64 throughput: 790.0 kpps", "118 answered", "UDP over IPv4", "RFC 1242 section 3.8"},
		"html":     {"tagged frames 20", "790.0 kpps", "33.3 to 55.5 µs", "118 answered", "RFC 1242 section 3.8"},
		"csv":      {"search not ended", "tagged frames=20 frames"},
	} {
		text := strings.Join(strings.Fields(render(t, format, sampleSecond())), " ")
		for _, want := range wants {
			if !strings.Contains(text, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}

// Where the medium has a limit, the single number stands beside it.
func TestMediumLimit(t *testing.T) {
	c := samples.Campaign()
	c.Results[0].Figures = []weir.Figure{{Name: theoretical, Value: 1_488_095, Unit: "frames/s"}}
	if text := single(c, gridOf(c)); !strings.HasSuffix(text, "the medium carries 1,488.1 kpps") {
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
	list := procedures(c, gridOf(c))
	if len(list) != 1 || list[0].Trials != 22 || list[0].Results != 2 || list[0].Spent != 22 {
		t.Errorf("%+v", list)
	}
}

func TestIMIXEstimateNamesItsRow(t *testing.T) {
	c := samples.Further()
	rates := slices.DeleteFunc(c.Results, func(r weir.Result) bool { return r.Method != "throughput" })
	rates[0].Value = 0
	c.Results = rates
	if _, from := imixEstimate(gridOf(c)); from != "the 64-octet rate (routes 10k)" {
		t.Errorf("it is from %s", from)
	}
	for i := range rates {
		rates[i].Value = 0
	}
	if mbits, _ := imixEstimate(gridOf(c)); mbits != "" {
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

// Who sent is told of the frames that the slow back end sent.
func TestPacketSocketsAreTold(t *testing.T) {
	c := samples.Campaign()
	for i := range c.Trials {
		if c.Trials[i].Trial.Traffic.Name == "1518" {
			c.Trials[i].Backend = "afpacket"
		}
	}
	for _, format := range []string{"text", "markdown", "html"} {
		text := strings.Join(strings.Fields(render(t, format, c)), " ")
		if !strings.Contains(text, "packet sockets sent the frames of 1518,") {
			t.Errorf("%s does not say it", format)
		}
		if strings.Contains(render(t, format, samples.Campaign()), "packet sockets") {
			t.Errorf("%s says it of live frames", format)
		}
	}
}
