package report

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv/samples"
	"weir/internal/warning"
)

// Advice is given once, in all formats that give any, and so is each entry.
func TestAdviceOnce(t *testing.T) {
	texts := make(map[int][]weir.Sentence)
	for i := range 40 {
		texts[64] = append(texts[64], weir.Say("other processes used %d %% of the CPU time", i))
		texts[512] = append(texts[512], weir.Say("%s processes used it", strings.Repeat("x", i)))
	}
	for format, times := range map[string]int{"text": 0, "markdown": 1, "html": 1} {
		text := render(t, format, samples.Doubtful(weir.BusyMachine, texts))
		if n := strings.Count(text, warning.Of(weir.BusyMachine).Advice); n != times {
			t.Errorf("%s gives the advice %d times", format, n)
		}
		for _, want := range []string{"0 to 39 %", "31 more; the JSON report has them all"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}
