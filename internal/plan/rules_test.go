package plan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weir"
)

// Each rule has a name of its own, and is broken by one of the wrong plans.
func TestRulesAreBroken(t *testing.T) {
	all := slices.Clone(rules)
	defer copy(rules, all)
	broken := map[string]int{}
	for i, one := range all {
		if _, twice := broken[one.name]; twice {
			t.Errorf("two rules are called %q", one.name)
		}
		broken[one.name] = 0
		rules[i].check = func(d *draft) weir.Problems {
			found := one.check(d)
			broken[one.name] += len(found)
			return found
		}
	}
	plans, err := filepath.Glob("testdata/wrong/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range plans {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(filepath.Base(path), data); err == nil {
			t.Errorf("%s was taken", path)
		}
	}
	for name, times := range broken {
		if times == 0 {
			t.Errorf("no plan of testdata/wrong breaks the rule %q", name)
		}
	}
}
