package plan

import (
	"encoding/json"
	"testing"

	"weir"
)

// parsed is the plan that a text describes.
func parsed(t *testing.T, text string) Plan {
	t.Helper()
	p, err := Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// levelsOf are factors in one form, which can be compared.
func levelsOf(t *testing.T, f weir.Factors) string {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
