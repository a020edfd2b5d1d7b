package report

import (
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/claim"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/testenv/samples"
	"weir/internal/warning"
)

// A search that was cut short before it had found anything has found no 0.
func TestUnknownIsNoNumber(t *testing.T) {
	c := samples.CutShort(6, 0, 5e5)
	rows := figures.ResultsTable(figures.GridOf(c)).Rows
	if got := strings.Join(document.InWords(rows[0]), " "); got != "64 - - - - [1]" {
		t.Errorf("the first row is %q", got)
	}
	if got := strings.Join(document.InWords(rows[1]), " "); !strings.HasPrefix(got, "512 500.0 2,048 80 700") {
		t.Errorf("the second row is %q", got)
	}
	if text := render(t, "benchfmt", c); strings.Contains(text, " 0 frames/s") || !strings.Contains(text, " 500000 frames/s") {
		t.Errorf("a sample that is none:\n%s", text)
	}
	for _, format := range []string{"text", "markdown", "html"} {
		if text := strings.Join(strings.Fields(render(t, format, c)), " "); !strings.Contains(text, "the machine was busy in 12 of 16 trials") {
			t.Errorf("%s does not say that the machine was busy:\n%s", format, text)
		}
	}
	c.Results[0].Verdict = "" // a search that ended there has
	if got := figures.ResultsTable(figures.GridOf(c)).Rows[0][1].Text; got != "0" {
		t.Errorf("where no load met the goal stands %q", got)
	}
}

// Results at two loads can be told apart, and have what they found, in every
// format.
func TestLoadIsTold(t *testing.T) {
	for format, wants := range map[string][]string{
		"text":     {"jitter, mean difference of delay, at 500.0 kpps, 50 % of the throughput:", "at 950.0 kpps, 95 % of the throughput:"},
		"html":     {"500.0 kpps, 50 % of the throughput"},
		"markdown": {"at 950.0 kpps, 95 % of the throughput:"},
		"csv":      {",0.5\n", ",0.949999\n"},
		"benchfmt": {"BenchmarkJitter/frame_size=64/load=50% 1 2000 jitter-ns", "/load=95% 1 5000 jitter-ns", "BenchmarkRecovery/frame_size=64 1 5e+06 recovery-ns", "900 frames"},
	} {
		text := render(t, format, samples.Shares())
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}

// The goals of an MLRsearch are benchmarks of their own, not samples of one.
func TestGoalsAreNotSamples(t *testing.T) {
	c := weir.Campaign{}
	for _, loss := range []float64{0, .005} {
		c.Results = append(c.Results, weir.Result{Method: "mlrsearch", Unit: "frames/s", Factors: weir.Factors{"frame_size": 64}, LossRatio: loss})
	}
	text := render(t, "benchfmt", c)
	for _, want := range []string{"Mlrsearch/frame_size=64/loss=0 1", "Mlrsearch/frame_size=64/loss=0.005 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// Advice is given once, in all formats that give any, and so is each entry.
func TestAdviceOnce(t *testing.T) {
	texts := make(map[int][]weir.Sentence)
	for i := range 40 {
		texts[64] = append(texts[64], weir.Say("other processes used %d %% of the CPU time", i))
		texts[512] = append(texts[512], weir.Say("%s processes used it", strings.Repeat("x", i)))
	}
	for format, times := range map[string]int{"text": 0, "markdown": 1, "html": 1} {
		text := render(t, format, samples.Doubtful(weir.BusyMachine, texts))
		if n := strings.Count(text, warning.Of(weir.BusyMachine).Advice); n != times {
			t.Errorf("%s gives the advice %d times", format, n)
		}
		for _, want := range []string{"0 to 39 %", "31 more; the JSON report has them all"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}

// Of two campaigns the levels that a row's runs share are named once, though they
// are levels of a result and of an arm.
func TestArmIsNamedOnce(t *testing.T) {
	p, err := proof.Between(samples.Study(), samples.Study())
	if err != nil {
		t.Fatal(err)
	}
	s := newStudy(p)
	seen := 0
	for _, c := range s.Comparisons {
		name := s.traffic(c)
		parts := strings.Split(strings.TrimPrefix(name, c.Traffic+" "), ", ")
		for i, part := range parts {
			if slices.Contains(parts[:i], part) {
				t.Errorf("%q names %q twice", name, part)
			}
		}
		if c.Arm != "" && strings.Contains(name, "firewall") {
			seen++
		}
	}
	if seen == 0 {
		t.Error("no row names its arm")
	}
}

// A row in which more passes without loss than at the maximum load says so, as one
// does in which more passes without loss than with some.
func TestThroughputAboveFRMOL(t *testing.T) {
	result := func(method string, octets int, value float64, name string) weir.Result {
		return weir.Result{Method: method, Claim: weir.Claim{Name: name}, Factors: weir.Factors{"frame_size": octets}, Unit: "frames/s", Value: value, Width: .01}
	}
	c := weir.Campaign{ID: "x", Ended: "complete", Results: []weir.Result{
		result("throughput", 64, 8e5, "throughput"), result("frmol", 64, 6e5, "FRMOL"),
		result("throughput", 512, 6.05e5, "throughput"), result("frmol", 512, 6e5, "FRMOL"), // within the width
		result("throughput", 1518, 8e5, "throughput"), result("frmol", 1518, 6e5, "FRMOL, at least"),
	}}
	var cells []string
	for _, row := range figures.ResultsTable(figures.GridOf(c)).Rows {
		cells = append(cells, row[3].String())
	}
	if got, want := strings.Join(cells, "|"), "600.0 !|600.0|600.0"; got != want {
		t.Errorf("the cells of FRMOL are %q, want %q", got, want)
	}
	const note = "! 64: the throughput is above FRMOL: an overload costs that much"
	for _, beside := range []bool{false, true} {
		if beside { // of a sweep it is one screen
			c.Results = append(c.Results, samples.OneSweep(func(*weir.Result) {}).Results...)
		}
		if text := strings.Join(strings.Fields(render(t, "text", c)), " "); !strings.Contains(text, note) {
			t.Errorf("with a sweep %v: the note is not there:\n%s", beside, text)
		}
	}
}

// sampleSecond is the sample with a second throughput, the latency of tagged
// frames, and management queries.
func sampleSecond() weir.Campaign {
	c := samples.Campaign()
	c.Results = c.Results[:4]
	second := c.Results[0]
	second.Value, second.TrialSeconds, second.Verdict = 790_000, 60, "search not ended"
	tagged := &c.Results[3]
	tagged.Value, tagged.Lower, tagged.Upper = 44.4e-6, 33.3e-6, 55.5e-6
	tagged.Figures = []weir.Figure{{Name: claim.TaggedFrames, Value: 20, Unit: "frames"}}
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
