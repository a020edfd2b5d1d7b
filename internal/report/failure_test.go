package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
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
