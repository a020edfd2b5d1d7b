package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/schema"
)

// docTables are the tables of fields in docs, each after its head.
func docTables() []struct {
	page, head string
	fields     []schema.Described
} {
	var r reader
	_, netns := r.testbedFields(NetNS, &Testbed{})
	_, ports := r.testbedFields(Ports, &Testbed{})
	_, vm := r.testbedFields(VM, &Testbed{})
	dut := append(r.dutFields(&DUT{}), slices.DeleteFunc(r.conditionFields(node{}, &weir.Condition{}), func(f field) bool { return isTuning(tunings(false), f.name) })...)
	var step Step
	methods := slices.DeleteFunc(r.methodFields(&step), func(f field) bool {
		return slices.ContainsFunc(transferFields(&weir.Transfer{}), func(t field) bool { return t.name == f.name })
	})
	waits := waitsField(&weir.Waits{})
	return []struct {
		page, head string
		fields     []schema.Described
	}{
		{"plans.md", "\n## Fields\n\n", described(r.planFields(&Plan{}, &dependent{}))},
		{"plans.md", "\n### testbed\n\n", described(netns)},
		{"plans.md", "\n### dut\n\n", described(dut)},
		{"plans.md", "\n### traffic\n\n", described(r.trafficFields(&sending{}, &sent{}))},
		{"plans.md", "does not take is a mistake.\n\n", described(methods)},
		{"plans.md", "\n### waits\n\n", waits.shape().Fields},
		{"ports.md", "Of `testbed` a plan has for ports:\n\n", described(ports[2:])},
		{"labs.md", "with\n`dut: none`, a cable.\n\n", endHostField(0, &EndHost{}).shape().Fields},
		{"labs.md", "Of `testbed` a plan has for machines:\n\n", described(vm[3:])},
		{"experiments.md", "\n`runs: 6`, or\n\n", described(runsFields(&Experiment{}))},
		{"transfers.md", "Beside `trial`, for how long a stream lasts, its warm-up included:\n\n", described(transferFields(&weir.Transfer{}))},
	}
}

// The documents have the tables of fields as they are: go test ./internal/plan -update.
func TestFieldsAreDocumented(t *testing.T) {
	for _, d := range docTables() {
		name := filepath.Join("../../docs", d.page)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, found := strings.Cut(string(data), d.head)
		if !found || strings.Contains(rest, d.head) {
			t.Fatalf("%s has not one %q", name, d.head)
		}
		_, after, _ := strings.Cut(rest, "|\n\n")
		for _, f := range d.fields {
			if f.Means == "" {
				t.Errorf("%s: %s means nothing", name, f.Key)
			}
		}
		golden(t, name, before+d.head+schema.Table(d.page, d.fields)+"\n"+after)
	}
}

// golden compares a file with what it has to be, and writes it with -update.
func golden(t *testing.T, name, want string) {
	t.Helper()
	if have, err := os.ReadFile(name); err == nil && string(have) == want {
		return
	}
	if !*update {
		t.Errorf("%s is another one: go test ./internal/plan -update", name)
		return
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The page on plans names the fields of what is compared then.
func TestFieldsOfThenAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/plans.md")
	if err != nil {
		t.Fatal(err)
	}
	_, then, _ := strings.Cut(string(data), "\n### then\n")
	then, _, _ = strings.Cut(then, "\n### ")
	for _, name := range ofThen {
		if !strings.Contains(then, "`"+name+"`") {
			t.Errorf("docs/plans.md does not name the field %q of then", name)
		}
	}
}

// Each whole plan in the documents is one, and can earn the names that it asks for.
func TestDocumentedPlans(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range append(pages, "../../README.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(data), "```yaml\n")[1:] {
			text, _, _ := strings.Cut(part, "```")
			if filepath.Base(page) != "plans.md" && !strings.Contains("\n"+text, "\nmethods:") {
				continue // a part of a plan, or a file for something else
			}
			n++
			p, err := Parse(filepath.Base(page), []byte(text))
			if err == nil {
				err = p.Unearnable()
			}
			if err != nil {
				t.Errorf("%s, example %d: %v", page, i+1, err)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d plans were found", n)
	}
}
