package report

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/figures"
	"weir/internal/testenv/samples"
)

// Where there is no interval yet, that is said, and no margin is.
func TestSweptWithoutAnInterval(t *testing.T) {
	c := samples.OneSweep(samples.FirstRound)
	for format, want := range map[string]string{
		"text": "at 790 kpps (no interval yet) without loss",
		"html": "kpps (no interval yet) without loss",
		"csv":  "capacity, windows\",64,800000,frames/s,,,0.005",
		"json": "\"lower\": 0",
	} {
		if got := renderWith(t, Options{}, format, c); !strings.Contains(got, want) || strings.Contains(got, "(+-") {
			t.Errorf("%s has no %q: %s", format, want, got)
		}
	}
	c = samples.OneSweep(func(r *weir.Result) { r.KneeZero.Upper = 3 * r.KneeZero.Value })
	if got := figures.Headline(c, figures.GridOf(c)).String(); !strings.Contains(got, "at 790 kpps (750 to 2,370) without loss") {
		t.Errorf("bounds far apart are told as %q", got)
	}
	if got := figures.TrustOf(c, figures.GridOf(c)).String(); !strings.Contains(got, "over 3 rounds") {
		t.Errorf("of three rounds of one sweep, trust is %q", got)
	}
	c = samples.OneSweep(samples.FirstRound)
	if got := figures.TrustOf(c, figures.GridOf(c)).String(); got != "quiet: no interval yet, no window of 400 left out" {
		t.Errorf("trust is %q", got)
	}
}
