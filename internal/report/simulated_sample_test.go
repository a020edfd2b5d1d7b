package report

import (
	"weir"
	"weir/internal/testenv/samples"
)

// sampleSimulated is the sample, as from a model.
func sampleSimulated() weir.Campaign {
	c := samples.Campaign()
	c.Manifest.Simulated, c.Manifest.Backend, c.Manifest.Testbed = true, "sim", "sim"
	for i := range c.Results {
		c.Results[i].Simulated = true
	}
	return c
}
