package report

import (
	"slices"
	"strings"
	"testing"

	"weir/internal/proof"
	"weir/internal/testenv/samples"
)

// Of two campaigns the levels that a row's runs share are named once, though they
// are levels of a result and of an arm.
func TestArmIsNamedOnce(t *testing.T) {
	p, err := proof.Between(samples.Study(), samples.Study())
	if err != nil {
		t.Fatal(err)
	}
	s := newStudy(p)
	seen := 0
	for _, c := range s.Comparisons {
		name := s.traffic(c)
		parts := strings.Split(strings.TrimPrefix(name, c.Traffic+" "), ", ")
		for i, part := range parts {
			if slices.Contains(parts[:i], part) {
				t.Errorf("%q names %q twice", name, part)
			}
		}
		if c.Arm != "" && strings.Contains(name, "firewall") {
			seen++
		}
	}
	if seen == 0 {
		t.Error("no row names its arm")
	}
}
