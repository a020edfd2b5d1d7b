package report

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

// FuzzStored renders campaigns as a store may hold them: whatever JSON says that is
// one, by an older weir, a newer one, or somebody's hand.
func FuzzStored(f *testing.F) {
	for _, c := range []weir.Campaign{samples.Campaign(), sampleSwept(), sampleOnce(), sampleImported()} {
		for part, value := range map[string]any{"manifest": c.Manifest, "results": c.Results[:min(2, len(c.Results))], "trials": c.Trials[:min(1, len(c.Trials))]} {
			text, err := json.Marshal(value)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(part, string(text))
		}
	}
	f.Fuzz(func(t *testing.T, part, text string) {
		c := weir.Campaign{ID: "20260101-1200-abcd", Name: "a name", Ended: "complete"}
		into := map[string]any{"manifest": &c.Manifest, "results": &c.Results, "trials": &c.Trials}[part]
		if into == nil || json.Unmarshal([]byte(text), into) != nil {
			return
		}
		if part != "results" {
			c.Results = samples.Campaign().Results
		}
		for _, format := range Formats() {
			var b strings.Builder
			if err := (Options{Verbose: true, Trials: true}).Write(&b, format, c); err == nil && format == "json" && !json.Valid([]byte(b.String())) {
				t.Errorf("no JSON: %s", b.String())
			}
		}
		if v, err := VersusOf(c, false, .02); err == nil {
			_ = v.Write(io.Discard, "junit", Options{})
		}
	})
}
