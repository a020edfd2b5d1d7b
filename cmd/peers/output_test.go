package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() []row {
	return []row{
		{name: "weir", rates: []float64{8e6, 9e6, 7e6}},
		{name: "drop_only_loop", rates: []float64{5e7, 5e7, 5e7}},
		{name: "bare_redirect", rates: []float64{1e7, 9e6, 1.1e7}},
		{name: "testpmd_af_xdp", rates: []float64{2e6, 1.6e6}, message: "no frames arrived within 8s"},
		{name: "trafgen", missing: true},
		{name: "iperf3", message: "iperf3: exit status 1: unable to connect"},
	}
}

func TestTable(t *testing.T) {
	var got strings.Builder
	if err := writeTable(&got, sample(), []string{"machine: one"}); err != nil {
		t.Fatal(err)
	}
	want := `
sender                  median /s          min          max  rounds  weir/this  of bare
weir                    8,000,000    7,000,000    9,000,000       3       1.00     80 %
drop_only_loop         50,000,000   50,000,000   50,000,000       3       0.16    500 %
bare_redirect          10,000,000    9,000,000   11,000,000       3       0.80    100 %
testpmd_af_xdp          1,800,000    1,600,000    2,000,000       2       4.44     18 %   a round failed: no frames arrived within 8s
trafgen              missing here (scripts/setup peers installs it)
iperf3               iperf3: exit status 1: unable to connect

machine: one
`
	if diff := cmp.Diff(want[1:], got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTableWithoutWeir(t *testing.T) {
	rows := sample()
	rows[weirRow] = row{name: "weir", message: "live frames are not available here"}
	var got strings.Builder
	if err := writeTable(&got, rows, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.String(), "weir                 live frames are not available here\n") ||
		!strings.Contains(got.String(), "3          -    100 %\n") {
		t.Errorf("got\n%s", got.String())
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
	if err := writeJSON(file, sample()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "weir": 8000000,
  "drop_only_loop": 50000000,
  "bare_redirect": 10000000,
  "peers": {
    "testpmd_af_xdp": 1800000
  }
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
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

func TestLastLines(t *testing.T) {
	const said = "one\n\n two \nthree\n\n"
	for n, want := range map[int]string{1: "three", 2: "two / three", 9: "one / two / three"} {
		if got := lastLines(said, n); got != want {
			t.Errorf("last %d: got %q, want %q", n, got, want)
		}
	}
}
