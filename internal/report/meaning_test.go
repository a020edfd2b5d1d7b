package report

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

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
