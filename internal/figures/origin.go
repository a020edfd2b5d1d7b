package figures

import (
	"strings"

	"weir"
	"weir/internal/document"
)

// SimulatedMark precedes every answer of a simulated campaign.
func SimulatedMark(c weir.Campaign) string {
	if Simulated(c) {
		return "SIMULATED: "
	}
	return ""
}

// Origin says on which machine a campaign was measured, and at which levels
// that all of its results share.
func Origin(m weir.Manifest, g Grid) string {
	var parts []string
	if m.Kernel != "" {
		parts = append(parts, "kernel "+m.Kernel)
	}
	if m.CPUModel != "" || m.CPUs > 0 {
		parts = append(parts, processors(m))
	}
	if m.Platform == weir.NoDUT {
		parts = append(parts, "no DUT"+document.On(" at ", m.Place)+" ("+m.Testbed+")")
	} else if m.Platform != "" {
		parts = append(parts, "DUT "+m.Platform+document.On(" at ", m.Place)+" ("+m.Testbed+")")
	}
	if m.Backend != "" && m.Imported == nil {
		parts = append(parts, "tester "+m.Backend)
	}
	if m.Imported == nil {
		parts = append(parts, "weir "+m.Weir)
	}
	for _, level := range Changes(g.Common, nil) {
		if m.Imported == nil || !strings.HasSuffix(level, weir.NotSaid) {
			parts = append(parts, level)
		}
	}
	if m.Imported != nil {
		parts = append(parts, published(*m.Imported)) // it ends with a sentence of its own
	}
	return strings.Join(parts, ", ")
}

// published says where results come from that weir did not measure.
func published(i weir.Imported) string {
	text := "imported from " + i.Format
	if i.Source != "" {
		text += " (" + i.Source + ")"
	}
	text += ", published by others; weir did not measure it"
	if i.What != "" {
		text += ". The number is " + strings.TrimSuffix(i.What, ".")
	}
	return text
}
