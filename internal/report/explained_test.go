package report

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/claim"
	"weir/internal/testenv/samples"
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
