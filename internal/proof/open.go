package proof

import (
	"maps"
	"slices"

	"weir"
	"weir/internal/claim"
)

// opened finds the arms of which it is known what they do at least, by results that have
// the baseline's name with these words, or without: see exceeded.
func (c *Comparison) opened(byArm map[string]map[string]int, baseline string) {
	if c.Figure != "" || baseline == "" {
		return
	}
	for _, arm := range slices.Sorted(maps.Keys(byArm)) {
		names, others := byArm[arm], 0
		for name := range names {
			if claim.Exactly(name) != baseline {
				others++
			}
		}
		if others == 0 && claim.AtLeast(most(names)) && most(names) != baseline {
			c.open, c.Claim = append(c.open, arm), baseline
		}
	}
}

// exceeded says of the arms of which it is known what they do at least by how much that is
// more than the baseline does; and vetoes where it is not proven to be, as they may be
// anywhere above it then. Margin is the change that matters.
func (c *Comparison) exceeded(margin float64) {
	for _, arm := range c.open {
		for i := range c.Effects {
			e := &c.Effects[i]
			if e.Arm != arm {
				continue
			}
			if e.AtLeast = e.Change.Lower > margin; !e.AtLeast {
				c.veto(weir.TesterLimited, "%s does at least what was found, and that is not proven to be more than %s does: give the tester more CPUs", arm, c.Baseline)
				continue
			}
			c.warn(weir.TesterLimited, "%s does at least what was found, as the tester sends no more: its interval has no upper bound", arm)
		}
	}
}
