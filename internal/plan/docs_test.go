package plan

import (
	"os"
	"strings"
	"testing"
)

// The documents have a row for every field of a plan, name those of what is compared
// then, and each plan in them is one.
func TestFieldsAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/plans.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	fields := func(plan string) []string {
		_, err := Parse("plan.yaml", []byte(plan))
		if err == nil {
			t.Fatalf("%q is a plan", plan)
		}
		_, list, _ := strings.Cut(err.Error(), "needs fields: ")
		list, _, _ = strings.Cut(list, "\n")
		return strings.Split(list, ", ")
	}
	_, all, _ := strings.Cut(text, "\n## Fields\n")
	table, _, _ := strings.Cut(all, "\n### ")
	var rows string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			rows += cells[1]
		}
	}
	for _, name := range fields("- 1") {
		if !strings.Contains(rows, "`"+name+"`") {
			t.Errorf("docs/plans.md has no row for the field %q of a plan", name)
		}
	}
	_, then, _ := strings.Cut(text, "\n### then\n")
	then, _, _ = strings.Cut(then, "\n### ")
	for _, name := range fields("then: 5") {
		if !strings.Contains(then, "`"+name+"`") {
			t.Errorf("docs/plans.md does not name the field %q of then", name)
		}
	}
	for i, part := range strings.Split(text, "```yaml\n")[1:] {
		plan, _, _ := strings.Cut(part, "```")
		if _, err := Parse("plans.md", []byte(plan)); err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
}
