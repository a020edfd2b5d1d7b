package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sample() results {
	r := results{
		senders: []string{weirName, loopName, bareName, "testpmd_af_xdp", "trafgen", "iperf3"},
		without: map[string]string{"trafgen": "missing here (scripts/setup peers installs it)"},
	}
	for i, speed := range []float64{8e5, 9e5, 7e5} {
		block := i + 1
		r.turns = append(r.turns,
			turn{Block: block, Sender: "iperf3", At: float64(i), Lost: "no luck"},
			turn{Block: block, Sender: weirName, At: float64(i) + .25, Rate: 10 * speed},
			turn{Block: block, Sender: loopName, At: float64(i) + .5, Rate: 5e7},
			turn{Block: block, Sender: bareName, At: float64(i) + .75, Rate: 11 * speed})
		if block < 3 {
			r.turns = append(r.turns, turn{Block: block, Sender: "testpmd_af_xdp", At: float64(i) + .9, Rate: 2 * speed})
		} else {
			r.turns = append(r.turns, turn{Block: block, Sender: "testpmd_af_xdp", At: float64(i) + .9, Lost: "no frames arrived within 8s"})
		}
	}
	return r
}

func TestTable(t *testing.T) {
	var got strings.Builder
	if err := writeTable(&got, sample(), []string{"machine: one"}); err != nil {
		t.Fatal(err)
	}
	want := `
sender                  median /s          min          max  turns         weir/this (95 %)         % of bare (95 %)
weir                    8,000,000    7,000,000    9,000,000      3                     1.00                     90.9
drop_only_loop         50,000,000   50,000,000   50,000,000      3      0.16 (0.12 to 0.22)   571.2 (417.9 to 780.6)
bare_redirect           8,800,000    7,700,000    9,900,000      3                     0.91                    100.0
testpmd_af_xdp          1,700,000    1,600,000    1,800,000      2                     5.00                     18.2   1 lost: no frames arrived within 8s
trafgen              missing here (scripts/setup peers installs it)
iperf3               no luck

machine: one
`
	if diff := cmp.Diff(want[1:], got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTableWithoutWeir(t *testing.T) {
	r := sample()
	r.turns = slices.DeleteFunc(r.turns, func(t turn) bool { return t.Sender == weirName })
	r.without[weirName] = "live frames are not available here"
	var got strings.Builder
	if err := writeTable(&got, r, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.String(), "weir                 live frames are not available here\n") ||
		!strings.Contains(got.String(), " 3                        -                    100.0\n") {
		t.Errorf("got\n%s", got.String())
	}
}

// A bare program that is slower than weir in each block is said to be no bound.
func TestNoBound(t *testing.T) {
	for factor, want := range map[float64]bool{.8: true, 1.1: false} {
		r := sample()
		for i := range r.turns {
			if r.turns[i].Sender == bareName {
				r.turns[i].Rate = factor * r.turns[i-2].Rate // weir's
			}
		}
		var got strings.Builder
		if err := writeTable(&got, r, nil); err != nil || strings.Contains(got.String(), "no bound") != want {
			t.Errorf("%v: %v\n%s", factor, err, got.String())
		}
	}
}

func TestGrouped(t *testing.T) {
	for rate, want := range map[float64]string{0: "0", 999.6: "1,000", 12345: "12,345", 1234567.4: "1,234,567"} {
		if got := grouped(rate); got != want {
			t.Errorf("%v is %q, want %q", rate, got, want)
		}
	}
}

// Scripts rely on these names; what was not measured is left out.
func TestJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "peers.json")
	r := sample()
	r.turns = slices.DeleteFunc(r.turns, func(t turn) bool { return t.Sender == loopName || t.Sender == "iperf3" && t.Block > 1 })
	r.senders = slices.DeleteFunc(r.senders, func(name string) bool { return name == loopName })
	if err := writeJSON(file, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	turns := got.(map[string]any)["turns"].([]any)
	got.(map[string]any)["turns"] = []any{turns[0], turns[1], len(turns)}
	type object = map[string]any
	want := object{
		"weir": 8e6, "drop_only_loop": 0., "bare_redirect": 8.8e6, "peers": object{"testpmd_af_xdp": 1.7e6},
		"weir_over": object{
			"bare_redirect":  object{"ratio": 1 / 1.1, "lower": 1 / 1.1, "upper": 1 / 1.1, "blocks": 3.},
			"testpmd_af_xdp": object{"ratio": 5., "lower": 5., "upper": 5., "blocks": 2.},
		},
		"of_bare": object{
			"weir":           object{"ratio": 1 / 1.1, "lower": 1 / 1.1, "upper": 1 / 1.1, "blocks": 3.},
			"testpmd_af_xdp": object{"ratio": 2 / 11., "lower": 2 / 11., "upper": 2 / 11., "blocks": 2.},
		},
		"without": object{"trafgen": "missing here (scripts/setup peers installs it)", "iperf3": "no luck"},
		"turns": []any{
			object{"block": 1., "sender": "iperf3", "at": 0., "lost": "no luck"},
			object{"block": 1., "sender": "weir", "at": .25, "rate": 8e6},
			10,
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Error(diff)
	}
}

func TestVersionOf(t *testing.T) {
	for said, want := range map[string]string{
		"EAL: Detected CPU lcores: 2\nEAL: RTE Version: 'DPDK 22.11.11'\n":            "p 22.11.11",
		"trafgen 0.6.8 (Flutternozzle), Git id: (none)\n":                             "p 0.6.8",
		"iperf 3.12 (cJSON 1.7.15)\nLinux vm 6.18.44 #1 SMP PREEMPT_DYNAMIC x86_64\n": "p 3.12",
		"who knows": "p, version unknown",
	} {
		if got := versionOf("p", said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
