package report

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv/samples"
)

// The next campaign of a name has the same series, but for those that say which campaign it is.
func TestSeriesGoOn(t *testing.T) {
	series := func(c weir.Campaign) map[string]bool {
		var b bytes.Buffer
		if err := WriteMetrics(&b, []weir.Campaign{c}); err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for line := range strings.Lines(b.String()) {
			if at := strings.LastIndex(line, "} "); at > 0 && !strings.Contains(line, "_info{") {
				out[line[:at]] = true
			}
		}
		return out
	}
	first, next := samples.Campaign(), samples.Campaign()
	next.ID, next.Manifest.Started, next.Manifest.Kernel = "another", next.Manifest.Started.Add(time.Hour), "another"
	a, b := series(first), series(next)
	if len(a) < 20 {
		t.Fatalf("%d series", len(a))
	}
	for name := range a {
		if !b[name] {
			t.Errorf("%s does not go on", name)
		}
	}
}

// The board for Grafana asks for metrics that there are.
func TestBoard(t *testing.T) {
	text, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteMetrics(&b, []weir.Campaign{samples.Campaign()}); err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`weir_\w+`)
	for _, p := range board.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("the panel %s asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			for _, name := range asked.FindAllString(target.Expr, -1) {
				if !strings.Contains(b.String(), "\n"+name+"{") {
					t.Errorf("the panel %s asks for %s, which there is not", p.Title, name)
				}
			}
		}
	}
}
