package campaign

import _ "embed"

//go:embed bench.yaml
var benchPlan []byte

//go:embed quick.yaml
var quickPlan []byte

// Bench is the plan behind "weir bench": four frame sizes or mixes, with
// FRMOL, throughput at no loss and at 0.5 %, and latency at half of the
// throughput. It is a plan like any other and fits two minutes; the quick one
// fits 25 seconds.
func Bench(quick bool) Plan {
	name, text := "bench.yaml", benchPlan
	if quick {
		name, text = "quick.yaml", quickPlan
	}
	p, err := Parse(name, text)
	if err != nil {
		panic(err) // the plan is part of the program, and a test parses it
	}
	return p
}
