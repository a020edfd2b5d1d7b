package plan

import _ "embed"

//go:embed bench.yaml
var benchPlan []byte

//go:embed quick.yaml
var quickPlan []byte

// Bench is the plan behind "weir bench": sweeps over frame sizes and a mix, in
// rounds, and then what a stateful firewall costs. It is a plan like any other,
// and fits a minute; the quick one a quarter of that.
func Bench(quick bool) Plan {
	if quick {
		return own("quick.yaml", quickPlan)
	}
	return own("bench.yaml", benchPlan)
}

// own is a plan of weir's own.
func own(name string, text []byte) Plan {
	p, err := Parse(name, text)
	if err != nil {
		panic(err) // it is part of the program, and a test parses it
	}
	return p
}
