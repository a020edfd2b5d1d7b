package lab

import (
	"testing"

	"weir/internal/plan"
	"weir/internal/testenv"
)

// At every level of a plan each frame arrives at a port where its trial looks
// for it, also when routes lead there and levels differ in their pairs.
func TestPairsOfALab(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "nft")
	for name, modifiers := range map[string]string{
		"alike":     "[plain, {pairs: 2, bidirectional: true}, {pairs: 2, routes: 100}]",
		"different": "[{routes: 100}, {pairs: 2, routes: 100}, {pairs: 2, filters: 2}]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("WEIR_RUN", t.TempDir())
			p, err := plan.Parse("test.yaml", []byte("traffic: {sizes: [64]}\nmodifiers: "+modifiers+"\nmethods: [frmol]\n"))
			if err != nil {
				t.Fatal(err)
			}
			lab, closeLab, err := openNetNS(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := closeLab(); err != nil {
					t.Error(err)
				}
			}()
			for _, l := range p.Levels {
				undo, err := lab.Apply(t.Context(), l.Condition)
				if err != nil {
					t.Fatalf("%s: %v", l.Name, err)
				}
				r := measured(t, lab, l.Traffic[0], nil)
				if r.Received != few*uint64(l.Traffic[0].Ports()) || len(r.Streams) != l.Traffic[0].Ports() {
					t.Errorf("%s: %d streams, %+v", l.Name, len(r.Streams), r.Ledger)
				}
				if err := undo(t.Context()); err != nil {
					t.Errorf("%s: %v", l.Name, err)
				}
			}
		})
	}
}
