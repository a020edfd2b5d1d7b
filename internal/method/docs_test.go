package method

import (
	"os"
	"strings"
	"testing"
)

// docs/methods.md has a line for every method.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/methods.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range All() {
		if n := strings.Count(string(text), "| `"+m.Name+"` |"); n != 1 {
			t.Errorf("docs/methods.md has %d lines for %s", n, m.Name)
		}
	}
}
