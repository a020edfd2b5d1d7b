package report

import (
	"strings"
	"testing"

	"weir/internal/testenv/samples"
)

func TestPageOfFurtherResults(t *testing.T) {
	text := render(t, "html", samples.Further())
	for _, id := range []string{"charts", "overload", "scale", "time"} {
		if n := strings.Count(text, `id="`+id+`"`); n != 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, want := range []string{
		"Further results", "1,234 frames", "1,200 to 1,310 frames", "degrading", "MLRsearch, loss 0.5 %", "irregular", "4.20 ms",
		"Left for other work", "Signs of life of the control plane", "dut backlog (softnet dropped)", "Rates over routes",
		"Checklist of 2", "trials last at least 60 s",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if err := balanced(text); err != nil {
		t.Error(err)
	}
}
