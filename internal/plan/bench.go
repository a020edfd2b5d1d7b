package plan

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

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

// BenchAt is Bench for a box behind ports, a router (layer 3) or a switch (layer 2):
// without what weir would have to set there. It is a weir.Problems where they are none of a
// testbed.
func BenchAt(quick bool, ports []string, layer int) (Plan, error) {
	text := string(Bench(quick).Text)
	text, _, _ = strings.Cut(text, "\nthen:")
	quoted := make([]string, len(ports))
	for i, port := range ports {
		quoted[i] = strconv.Quote(port)
	}
	at := fmt.Sprintf("testbed: {kind: ports, ports: [%s]}\ndut: {layer: %d}", strings.Join(quoted, ", "), layer)
	text = strings.Replace(text, "testbed: {kind: netns}", at, 1)
	_, rest, _ := strings.Cut(text, "\nname:") // what precedes is about the kernel
	return Parse("bench", []byte("# What \"weir bench --ports\" measures: a box behind two ports.\nname:"+rest+"\n"))
}

// own is a plan of weir's own.
func own(name string, text []byte) Plan {
	p, err := Parse(name, text)
	if err != nil {
		panic(err) // it is part of the program, and a test parses it
	}
	return p
}
