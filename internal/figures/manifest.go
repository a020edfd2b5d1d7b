package figures

import (
	"fmt"
	"strconv"

	"weir"
	"weir/internal/document"
)

// Everything that a manifest says of an environment, as settings.
func Everything(m weir.Manifest) []weir.Setting {
	out := []weir.Setting{
		{Where: "campaign", Name: "weir", Value: m.Weir}, {Where: "campaign", Name: "kernel", Value: m.Kernel},
		{Where: "campaign", Name: "cpu", Value: processors(m)}, {Where: "campaign", Name: "testbed", Value: m.Testbed},
		{Where: "campaign", Name: "platform", Value: m.Platform}, {Where: "campaign", Name: "tester", Value: m.Backend},
		{Where: "campaign", Name: "simulated", Value: strconv.FormatBool(m.Simulated)},
	}
	if m.Place != "" {
		out = append(out, weir.Setting{Where: "campaign", Name: "place", Value: m.Place})
	}
	for _, n := range RemarksOf(m.Notes) {
		out = append(out, weir.Setting{Where: "campaign", Name: "note " + n.Sign, Value: n.Text + document.On(", of ", n.Where)})
	}
	if m.Imported != nil {
		out = append(out, weir.Setting{Where: "campaign", Name: "imported from", Value: m.Imported.Format + " " + m.Imported.Source})
	}
	return append(out, m.Settings...)
}

// processors are the CPUs of a machine; "unknown" as of a model.
func processors(m weir.Manifest) string {
	switch {
	case m.CPUs == 0 && m.CPUModel == "":
		return "unknown"
	case m.CPUs == 0:
		return m.CPUModel
	case m.CPUModel == "":
		return fmt.Sprintf("%d %s", m.CPUs, Plural(m.CPUs, "CPU"))
	}
	return fmt.Sprintf("%d x %s", m.CPUs, m.CPUModel)
}
