//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"weir"
	"weir/internal/sqlite"
	"weir/internal/testenv"
)

// policed is the limit of the policers below, in frames/s of each direction.
// They let a burst of a millisecond's worth of frames through.
const policed, policerBurst = 50_000.0, time.Millisecond

// A search against a limit that is known finds it within 1 %, with either kind
// of policer, in one direction or in both (`make truth` has each with each).
// Nothing exceeds the limit, however busy the machine is. Frames may be lost
// below it where something held frames up, so that they then came to the policer
// at once; the trial's own record says so, or the loss is a fault.
func TestSearchFindsThePolicer(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "tc", "nft")
	testenv.Long(t) // searches against limits that are known are tests of the simulated router, too
	for kind, directions := range map[string]int{"nft": 1, "tbf": 2} {
		t.Run(fmt.Sprintf("%s %d", kind, directions), func(t *testing.T) {
			c := searched(t, kind, directions)
			limit := policed * float64(directions)
			disturbed, passes := 0, 1.01*limit // the latter: what a burst and a queue make of the limit in a short trial, at the load that was found
			for _, r := range c.Trials {
				if r.Trial.Bypass {
					continue
				}
				load := r.Trial.Intended * float64(r.Trial.Traffic.Ports())
				// No more than the limit's worth of the time passes, a burst, and a queue.
				over := (r.Sending + time.Duration(r.Latency.Max) + policerBurst).Seconds()
				most := limit*over + 2*64
				if math.Abs(load-c.Results[0].Value) < 1 {
					passes = max(passes, most/r.Trial.Duration.Seconds())
				}
				if float64(r.Received) > most {
					t.Errorf("of %.0f frames/s %d frames passed a limit of %.0f in %v, want %.0f at most", load, r.Received, limit, r.Sending, most)
				}
				switch held := max(r.Pacing.LongestStall, time.Duration(r.Latency.Max)); {
				case load > 1.01*limit && r.LossRatio() <= 0 && float64(r.Offered) > most:
					t.Errorf("of %.0f frames/s all passed a limit of %.0f: %+v", load, limit, r.Ledger)
				case load > .99*limit || r.LossRatio() <= 0:
				case held > policerBurst/2 || r.Short():
					disturbed++
				default:
					t.Errorf("at %.0f frames/s, below the limit, frames were lost, and nothing was held up for longer than %v: %+v", load, held, r.Ledger)
				}
			}
			switch value := c.Results[0].Value; {
			case value > passes:
				t.Errorf("%.0f frames/s were found, above the limit of %.0f, of which %.0f may pass", value, limit, passes)
			case value >= .99*limit:
			case disturbed == 0:
				t.Errorf("%.0f frames/s were found, and nothing was lost below the limit of %.0f", value, limit)
			default:
				t.Logf("%.0f of %.0f frames/s were found: in %d of %d trials other work held frames up", value, limit, disturbed, len(c.Trials))
			}
		})
	}
}

// searched is the campaign of one search, as it was stored.
func searched(t *testing.T, kind string, directions int) weir.Campaign {
	t.Helper()
	dir := t.TempDir()
	plan, file := filepath.Join(dir, "policer.yaml"), filepath.Join(dir, "weir.db")
	text := fmt.Sprintf(`
dut: {policer: {kind: %s, rate: %g}}
traffic: {sizes: [64], bidirectional: %v}
methods:
  - {method: throughput, trial: 250ms, trials: 3, exceed: 50%%, width: 0.5%%, maximum: 100k}
waits: {residual: 20ms}
`, kind, policed, directions == 2)
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--store", file, "--quiet", "run", plan}, nil, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	store, err := sqlite.OpenExisting(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	all, err := store.Campaigns(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%d campaigns were stored, %v", len(all), err)
	}
	c, err := store.Campaign(t.Context(), all[0].ID)
	if err != nil || len(c.Results) != 1 || len(c.Trials) == 0 {
		t.Fatalf("%d results, %d trials, %v", len(c.Results), len(c.Trials), err)
	}
	return c
}
