package main

import (
	"fmt"
	"strings"

	"weir/internal/workload"
)

// programRows are the programs whose transfers can be measured, with what has to
// be installed for them.
func programRows() []row {
	var out []row
	for _, p := range workload.Programs() {
		summary := p.Summary
		if len(p.Tests) > 0 {
			summary += "; tests: " + strings.Join(p.Tests, ", ")
		}
		var needs []string
		for _, t := range p.Tools {
			needs = append(needs, fmt.Sprintf("%s (package %s)", t.Name, t.Package))
		}
		if len(needs) > 0 {
			summary += "; needs " + strings.Join(needs, " and ")
		}
		out = append(out, row{p.Name, summary})
	}
	return out
}
