package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"weir"
)

// sampleSeveral are three campaigns, one of them simulated, one with sweeps and runs.
func sampleSeveral() []weir.Campaign {
	a, b, swept := sample(), sampleSimulated(), sampleBench()
	a.Name, b.Name, swept.Name = "APU2", "model", "APU2"
	return []weir.Campaign{a, b, swept}
}

func TestSeveral(t *testing.T) {
	for file, c := range map[string]struct{ format, rows string }{
		"several.txt":      {"text", ""},
		"several-rows.txt": {"text", "firewall"},
		"several.md":       {"markdown", ""},
	} {
		var b bytes.Buffer
		if err := (Options{}).WriteSeveral(&b, c.format, sampleSeveral(), c.rows); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.String())
	}
}

func TestSeveralForPrograms(t *testing.T) {
	write := func(format string) *bytes.Buffer {
		var b bytes.Buffer
		if err := (Options{}).WriteSeveral(&b, format, sampleSeveral(), ""); err != nil {
			t.Fatal(format, err)
		}
		return &b
	}
	rows, err := csv.NewReader(write("csv")).ReadAll() // as many columns in all
	if err != nil {
		t.Fatal(err)
	}
	results := 0
	for _, c := range sampleSeveral() {
		results += len(weir.Latest(c.Results))
	}
	if len(rows) != results+1 {
		t.Errorf("%d rows for %d results", len(rows), results)
	}
	var all []struct{ ID string }
	if err := json.Unmarshal(write("json").Bytes(), &all); err != nil || len(all) != 3 {
		t.Error(len(all), err)
	}
	if n := strings.Count(write("benchfmt").String(), "# campaign "); n != 3 {
		t.Errorf("%d campaigns", n)
	}
	page := write("html").String()
	for _, want := range []string{"<h1 id=\"headline\">3 campaigns", "SIMULATED", "APU2", "<h2>Throughput, kpps</h2>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if err := (Options{}).WriteSeveral(&bytes.Buffer{}, "text", sampleSeveral(), "colour"); err == nil || !strings.Contains(err.Error(), `a factor "colour": `) {
		t.Error(err)
	}
	if err := (Options{}).WriteSeveral(&bytes.Buffer{}, "pdf", sampleSeveral(), ""); err == nil {
		t.Error("several campaigns as pdf")
	}
}
