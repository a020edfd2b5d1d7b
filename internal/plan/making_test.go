package plan

import (
	"testing"
	"time"
)

// What a plan takes has the making of its lab in it, each time that a DUT or its routes
// are made anew; a simulated one has none to make.
func TestTakesTheMaking(t *testing.T) {
	const (
		runs = "\nmethods: [{method: saturated, within: 1s}]\nruns: {count: 6}\n"
		once = "\nmethods: [frmol]\n"
	)
	for _, c := range []struct {
		name, text string
		least      time.Duration // beside the trials
		most       time.Duration
	}{
		{"a lab", "testbed: {kind: netns}\ntraffic: {sizes: 64}" + once, labTime, labTime},
		{"a simulated router", "testbed: {kind: sim}\ntraffic: {sizes: 64}\nfactors: {firewall: [none, stateless]}" + runs, 0, 0},
		{"two tables", "testbed: {kind: netns}\ntraffic: {sizes: 64}\nmodifiers: [{routes: 1}, {routes: 100k}]" + once, labTime + 100_000*routeTime, labTime + 100_001*routeTime},
		{"in six builds of three", "testbed: {kind: netns}\ntraffic: {sizes: 64}\nfactors: {firewall: [none, stateless]}" + runs, labTime + 6*(3*buildTime+time.Second), labTime + 6*(3*buildTime+2*time.Second)},
		{"in six builds with a table", "testbed: {kind: netns}\ntraffic: {sizes: 64}\nfactors: {routes: [1, 100k]}" + runs, labTime + 6*(3*buildTime+100_000*routeTime+time.Second), labTime + 6*(3*buildTime+100_002*routeTime+2*time.Second)},
	} {
		p, err := Parse("plan.yaml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Takes() - p.WorstCase(); got < c.least || got > c.most {
			t.Errorf("%s: %v beside the trials, want %v to %v", c.name, got, c.least, c.most)
		}
	}
}
