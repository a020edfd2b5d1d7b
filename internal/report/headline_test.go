package report

import (
	"strings"
	"testing"

	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/testenv/samples"
)

// A search that was cut short before it had found anything has found no 0.
func TestUnknownIsNoNumber(t *testing.T) {
	c := samples.CutShort(6, 0, 5e5)
	rows := figures.ResultsTable(figures.GridOf(c)).Rows
	if got := strings.Join(document.InWords(rows[0]), " "); got != "64 - - - - [1]" {
		t.Errorf("the first row is %q", got)
	}
	if got := strings.Join(document.InWords(rows[1]), " "); !strings.HasPrefix(got, "512 500.0 2,048 80 700") {
		t.Errorf("the second row is %q", got)
	}
	if text := render(t, "benchfmt", c); strings.Contains(text, " 0 frames/s") || !strings.Contains(text, " 500000 frames/s") {
		t.Errorf("a sample that is none:\n%s", text)
	}
	for _, format := range []string{"text", "markdown", "html"} {
		if text := strings.Join(strings.Fields(render(t, format, c)), " "); !strings.Contains(text, "the machine was busy in 12 of 16 trials") {
			t.Errorf("%s does not say that the machine was busy:\n%s", format, text)
		}
	}
	c.Results[0].Verdict = "" // a search that ended there has
	if got := figures.ResultsTable(figures.GridOf(c)).Rows[0][1].Text; got != "0" {
		t.Errorf("where no load met the goal stands %q", got)
	}
}
