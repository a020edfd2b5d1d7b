package report

import (
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

// sampleClocks is the sample of a tester whose sender and receiver have clocks of their own:
// of one size they agreed, and of the others there are round trips alone.
func sampleClocks() weir.Campaign {
	c := samples.Campaign()
	agreed := false
	for i := range c.Results {
		r := &c.Results[i]
		if r.Method != "latency" {
			continue
		}
		trip := *r.Latency
		trip.P50 = 123.4e-6
		r.RoundTrip = &trip
		if !agreed {
			agreed = true
			r.Latency.Within = 3.2e-6
			continue
		}
		r.Latency, r.Value, r.Lower, r.Upper, r.Unmeasured = nil, 0, 0, 0, "the clocks were not proven to agree"
	}
	c.Trials[0].RoundTrip.Add(123_400, 1)
	return c
}

// Round trips have their name in all formats, and are in none where there are none; and how
// far latencies may be off is told.
func TestClocksOfTheirOwn(t *testing.T) {
	for format, wants := range map[string][]string{
		"text":        {"round trip", " 123.4 ", "latencies may be off by up to 3.2 us", "turned around at the receiving port", "there is no latency of 512, 1518 and imix: the clocks were not proven to agree"},
		"markdown":    {"round trip, p50 us", "| 123.4 |", "off by up to 3.2 us"},
		"html":        {"round trip", "123.4", "off by up to 3.2 "},
		"csv":         {",latency_within,round_trip_min,round_trip_p50,", ",0.0001234,", ",0.0000032,"},
		"json":        {`"round_trip_seconds"`, `"p50": 0.0001234`, `"within": 0.0000032`},
		"benchfmt":    {" 123400 round-trip-p50-ns "},
		"bencher":     {`"round-trip-p50"`},
		"openmetrics": {"weir_round_trip_p50_seconds{", "} 0.0001234 "},
	} {
		text, plain := render(t, format, sampleClocks()), render(t, format, samples.Campaign())
		text = strings.Join(strings.Fields(text), " ")
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", format, want)
			}
		}
		for _, name := range []string{"round trip", "round_trip", "round-trip", "be off by"} {
			if strings.Contains(plain, name) {
				t.Errorf("%s says %q of one clock", format, name)
			}
		}
	}
}

// Of a size without latencies there is no number but the round trip, and trials have theirs
// in columns of their own.
func TestRoundTripsStandApart(t *testing.T) {
	lines := strings.Split(render(t, "text", sampleClocks()), "\n")
	row := slices.IndexFunc(lines, func(l string) bool {
		return strings.Contains(l, "123.4") && strings.Contains(l, "-") && !strings.HasPrefix(strings.TrimSpace(l), "64 ")
	})
	if row < 0 {
		t.Errorf("no row has a round trip alone:\n%s", strings.Join(lines, "\n"))
	}
	if text := renderWith(t, Options{Trials: true}, "markdown", sampleClocks()); !strings.Contains(text, "round trip, p50 us") {
		t.Errorf("trials have no round trip:\n%s", text)
	}
}
