package main

import "testing"

// A ratio is at least what is asked where its whole interval is, and not known without one or where
// what is asked is inside of it.
func TestJudgeSent(t *testing.T) {
	const of = `{"weir_over": {"bare_redirect": `
	for text, want := range map[string]struct{ kept, known bool }{
		of + `{"ratio": 0.9, "lower": 0.86, "upper": 0.94, "blocks": 25}}}`: {true, true},
		of + `{"ratio": 0.9, "lower": 0.80, "upper": 0.84, "blocks": 25}}}`: {false, true},
		of + `{"ratio": 0.9, "lower": 0.84, "upper": 0.96, "blocks": 25}}}`: {},
		of + `{"ratio": 0.9, "blocks": 1}}}`:                                {},
		`{"weir_over": {}, "without": {"bare_redirect": "no CPU"}}`:         {},
		`{`: {},
	} {
		if found, kept, err := judgeSent([]byte(text), .85); kept != want.kept || (err == nil) != want.known {
			t.Errorf("%s: %q, kept %v, %v", text, found, kept, err)
		}
	}
}
