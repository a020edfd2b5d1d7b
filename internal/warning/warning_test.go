package warning

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"weir"
)

var update = flag.Bool("update", false, "write the table of docs/results.md anew")

// The documentation has the table of warnings as it is: go test ./internal/warning -update
// writes it.
func TestDocs(t *testing.T) {
	const name, head = "../../docs/results.md", "| code | what happened |"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, table, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("%s has no table that begins with %q", name, head)
	}
	_, after, _ := strings.Cut(table, "|\n\n")
	if after != "" {
		after = "\n" + after
	}
	if want := before + Table() + after; want != string(text) {
		if !*update {
			t.Fatalf("%s has another table of warnings: go test ./internal/warning -update", name)
		}
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Each kind is there once, and says what happened and what to do.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := range Kinds() {
		switch {
		case seen[string(k.Code)]:
			t.Errorf("%s is there twice", k.Code)
		case k.Means == "" || k.Advice == "":
			t.Errorf("%s does not say what happened, or what to do", k.Code)
		case (k.Does != Informs) != (k.Brief != ""):
			t.Errorf("%s: what it does to a comparison, and why, belong together: %q", k.Code, k.Brief)
		}
		seen[string(k.Code)] = true
	}
	source, err := os.ReadFile("../../warning.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^\t\w+ +WarningCode = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 30 {
		t.Fatalf("warning.go declares %d codes: the test does not find them", len(codes))
	}
	for _, c := range codes {
		if !seen[c[1]] {
			t.Errorf("the table has no row for %s", c[1])
		}
	}
}

// Each warning has some words for a line that has room for no more, and no two have the same.
func TestLabels(t *testing.T) {
	seen := map[string]weir.WarningCode{}
	for k := range Kinds() {
		if k.Label == "" || len(k.Label) > 32 || seen[k.Label] != "" {
			t.Errorf("%s is called %q, and so is %q", k.Code, k.Label, seen[k.Label])
		}
		seen[k.Label] = k.Code
	}
}
