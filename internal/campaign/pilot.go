package campaign

import (
	"context"

	"weir/internal/proof"
	"weir/stats"

	"weir/internal/plan"
)

// sized says after the pilot how many replicates it takes to see a change of the
// size that matters. It is the same number whenever the campaign is gone on with.
func (r *run) sized(ctx context.Context, made int) error {
	e := r.plan.Experiment
	if r.campaign.Manifest.Experiment.Runs > 0 || made < e.Pilot {
		return nil
	}
	known := *r.campaign.Manifest.Experiment
	known.Runs = e.Most
	found, err := proof.Of(r.campaign)
	if err == nil { // otherwise nothing was found that could be compared: there may be later
		if known.Needed = needed(*e, found); known.Needed > 0 {
			known.Runs = min(max(known.Needed, made), e.Most)
		}
	}
	if e.Round() > 1 {
		known.Runs = plan.Even(known.Runs)
	}
	r.campaign.Manifest.Experiment = &known
	return r.recordManifest(ctx)
}

// needed is how many replicates the comparison takes that needs most of them; 0
// where none could be made.
func needed(e plan.Experiment, pilot proof.Proof) int {
	effects := 0
	for _, c := range pilot.Comparisons {
		if c.Figure == "" {
			effects += len(c.Effects)
		}
	}
	most := 0
	for _, c := range pilot.Comparisons {
		if c.Figure != "" || len(c.Effects) == 0 {
			continue
		}
		most = max(most, stats.Needed(stats.Pilot{
			Deviation: c.Deviation, Freedom: c.Freedom, Blocks: c.Blocks, Arms: len(c.Arms),
			Effects: effects, Same: e.Same, Detect: e.Detect, Confidence: e.Confidence,
		}))
	}
	return most
}
