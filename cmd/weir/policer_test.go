//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"weir/internal/testenv"
)

// A search against a limit that is known finds it within 1 %, with either kind
// of policer, in one direction and in both.
func TestSearchFindsThePolicer(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "tc", "nft")
	const limit = 50_000.0 // frames/s in each direction
	for _, kind := range []string{"nft", "tbf"} {
		for _, directions := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s %d", kind, directions), func(t *testing.T) {
				var value float64
				// On a machine that does other things too, frames get lost that the
				// policer did not drop; the limit is exceeded by nothing.
				for range 3 {
					value = policed(t, kind, directions)
					if value > 1.01*limit*float64(directions) {
						break
					}
					if math.Abs(value/limit/float64(directions)-1) <= 0.01 {
						return
					}
				}
				t.Errorf("%.0f frames/s were found, want %.0f", value, limit*float64(directions))
			})
		}
	}
}

func policed(t *testing.T, kind string, directions int) float64 {
	t.Helper()
	dir := t.TempDir()
	plan := filepath.Join(dir, "policer.yaml")
	text := fmt.Sprintf(`
dut: {policer: {kind: %s, rate: 50k}}
traffic: {sizes: [64], bidirectional: %v}
methods:
  - {method: throughput, trial: 500ms, trials: 3, exceed: 50%%, width: 0.5%%, maximum: 100k}
waits: {residual: 50ms}
`, kind, directions == 2)
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--store", filepath.Join(dir, "weir.db"), "--format", "json", "--quiet", "run", plan}, nil, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var c struct {
		Results []struct {
			Value  float64
			Ledger struct{ Offered, Received uint64 }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &c); err != nil || len(c.Results) != 1 {
		t.Fatalf("%v: %s", err, out.String())
	}
	return c.Results[0].Value
}
