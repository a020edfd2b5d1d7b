package campaign

import _ "embed"

//go:embed bench.yaml
var benchPlan []byte

//go:embed quick.yaml
var quickPlan []byte

//go:embed compare.yaml
var comparePlan []byte

//go:embed compare-quick.yaml
var compareQuickPlan []byte

// Bench is the plan behind "weir bench": frame sizes and a mix, with FRMOL,
// throughput at no loss and at 0.5 %, and latency at half of the throughput. It
// is a plan like any other; with BenchComparison it fits two minutes, and the
// quick one 25 seconds.
func Bench(quick bool) Plan {
	if quick {
		return own("quick.yaml", quickPlan)
	}
	return own("bench.yaml", benchPlan)
}

// BenchComparison is the plan that "weir bench" ends with: does a stateful
// firewall make a difference?
func BenchComparison(quick bool) Plan {
	if quick {
		return own("compare-quick.yaml", compareQuickPlan)
	}
	return own("compare.yaml", comparePlan)
}

// own is a plan of weir's own.
func own(name string, text []byte) Plan {
	p, err := Parse(name, text)
	if err != nil {
		panic(err) // it is part of the program, and a test parses it
	}
	return p
}
