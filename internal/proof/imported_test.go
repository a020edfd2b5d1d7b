package proof

import (
	"testing"

	"weir"
	"weir/stats"
)

// TestImportedOrder holds that the order of lines in what others published is no
// order of time: what changes along it vetoes nothing, where the same would veto
// runs whose order is known.
func TestImportedOrder(t *testing.T) {
	imported := weir.Imported{Format: "ministat", Source: "a.txt", What: "a number of each run"}
	for _, c := range []struct {
		name     string
		imported *weir.Imported
		schedule weir.Schedule
		vetoed   bool
	}{
		{"measured", nil, weir.Blocks, true},
		{"imported", &imported, "", false},
		{"imported with its schedule", &imported, weir.Blocks, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			campaign := model{seed: 3, replicates: 30, effects: []float64{0, -0.5}, noise: 0.01, unblocked: true, sizes: []int{64}, change: func(r *weir.Result, of int) {
				r.Value *= 1 + 0.1*float64(r.Run.Number)/float64(of)
			}}.campaign()
			campaign.Manifest.Imported, campaign.Manifest.Experiment.Schedule = c.imported, c.schedule
			p, err := Of(campaign)
			if err != nil {
				t.Fatal(err)
			}
			got := p.Comparisons[0]
			if vetoed := len(got.Vetoes) > 0; vetoed != c.vetoed {
				t.Fatalf("vetoes %v, want some: %v", got.Vetoes, c.vetoed)
			}
			if !c.vetoed && (got.Effects[0].Verdict != stats.Proven || got.Stretch != nil || got.DriftP != 1) {
				t.Errorf("verdict %s, stretch %v, p of no drift %v", got.Effects[0].Verdict, got.Stretch, got.DriftP)
			}
		})
	}
}
