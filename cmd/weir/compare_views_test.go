package main

import (
	"math"
	"testing"

	"weir/internal/importer"
	"weir/internal/proof"
)

// TestViewsAreJudgedTogether holds that Holm knows all differences of a folder,
// along whichever factor: the least likely one is held against all of them.
func TestViewsAreJudgedTogether(t *testing.T) {
	cs, err := importer.Import("", []string{"../../internal/importer/testdata/netbenches/AMD_GX-412TC_4Cores/Intel_i210AT/firewalls/results/fbsd11.0vs11.1"}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	views, err := proof.Views(cs[0])
	if err != nil {
		t.Fatal(err)
	}
	least := func() (p, adjusted float64, n int) {
		p = 1
		for _, v := range views {
			for _, c := range v.Comparisons {
				for _, e := range c.Effects {
					n++
					if e.P < p {
						p, adjusted = e.P, e.Adjusted
					}
				}
			}
		}
		return p, adjusted, n
	}
	p, alone, n := least()
	proof.Together(views)
	_, together, _ := least()
	if n != 64 || len(views) != 4 {
		t.Fatalf("%d differences in %d views, not 64 in 4", n, len(views))
	}
	if math.Abs(together/(p*64)-1) > 1e-9 || alone > together {
		t.Errorf("p %g became %g by itself and %g among %d", p, alone, together, n)
	}
}
