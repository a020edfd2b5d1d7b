package plan

import (
	"context"
	"testing"
	"time"

	"weir"
	"weir/internal/method"
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

// A dry run takes as long as a plan asks for, and earns all names that transfers
// can earn: no plan is told that it asks for too much.
func TestTransfersInADryRun(t *testing.T) {
	want := map[string]string{
		"tcp": "TCP goodput", "iperf3": "TCP goodput", "iperf": "TCP goodput", "netperf": "TCP goodput", "udp": "UDP goodput",
		"connections": "connection rate", "loaded-latency": "latency under load", "rfc6349": "RFC 6349 TCP throughput",
		"pppoe-setup": "PPPoE session rate", "pppoe-flood": "PPPoE set-up under flood",
	}
	for _, m := range method.All() {
		if !m.Application {
			continue
		}
		name, listed := want[m.Name]
		if !listed {
			name = "file transfer"
		}
		for _, link := range []float64{0, 10e6, 1e9} {
			var spent time.Duration
			p := m.ByTheBook(method.Params{Trials: 2})
			env := method.Env{Traffic: weir.Traffic{Application: true, Family: weir.IPv4}, LinkRate: link,
				Measure: func(_ context.Context, trial weir.Trial) (weir.TrialResult, error) {
					spent += trial.Length()
					return friendlyModels[0].measure(trial), nil
				}}
			results, err := m.Run(t.Context(), env, p)
			if r := results[0]; err != nil || r.Claim.Name != name || !(r.Value > 0) || len(r.Warnings) > 0 {
				t.Errorf("%s over %v bit/s: %q, value %v, warnings %v, %v", m.Name, link, r.Claim.Name, r.Value, r.Warnings, err)
			}
			if least := 2 * p.Trial; spent < least || p.Transfer.Files > 0 && spent < 2*20*time.Second {
				t.Errorf("%s over %v bit/s takes %v, want at least %v", m.Name, link, spent, least)
			}
		}
	}
}
