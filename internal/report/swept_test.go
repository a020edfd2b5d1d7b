package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"weir"
	"weir/internal/testenv/samples"
)

func renderWith(t *testing.T, o Options, format string, c weir.Campaign) string {
	t.Helper()
	var b bytes.Buffer
	if err := o.Write(&b, format, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenSwept(t *testing.T) {
	for _, c := range []struct {
		file, format string
		options      Options
		campaign     weir.Campaign
	}{
		{"swept.txt", "text", Options{}, sampleSwept()},
		{"bench.txt", "text", Options{}, sampleBench()},
		{"bench-60.txt", "text", Options{Width: 60}, sampleBench()},
		{"bench-all.txt", "text", Options{Verbose: true}, sampleBench()},
		{"bench.md", "markdown", Options{}, sampleBench()},
		{"beside.txt", "text", Options{}, sampleBeside(3)},
		{"beside-60.txt", "text", Options{Width: 60}, sampleBeside(30)},
		{"swept.csv", "csv", Options{}, sampleSwept()},
		{"overload.txt", "text", Options{Verbose: true}, samples.Overload()},
		{"further-brief.txt", "text", Options{}, samples.Further()},
		{"study-brief.txt", "text", Options{}, samples.Study()},
		{"transfers-brief.txt", "text", Options{}, sampleGbit()},
	} {
		golden(t, c.file, renderWith(t, c.options, c.format, c.campaign))
	}
}

// What a terminal is shown of a bench fits it, and leaves room for what comes
// before and after it.
func TestBriefFits(t *testing.T) {
	for _, width := range []int{1, 60, 72, 80, 100, 200} {
		lines := strings.Split(strings.TrimSuffix(renderWith(t, Options{Width: width}, "text", sampleBench()), "\n"), "\n")
		if len(lines) > 26 {
			t.Errorf("%d lines on %d columns", len(lines), width)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > max(60, min(width, 100)) {
				t.Errorf("line of %d columns of %d: %s", n, width, line)
			}
		}
	}
}

// What no table has is there in a line each, as far as a screen has room.
func TestBriefBeside(t *testing.T) {
	for n := range 40 {
		text := renderWith(t, Options{}, "text", sampleBeside(n))
		if lines := strings.Count(text, "\n"); lines > 28 {
			t.Errorf("%d lines with %d further results", lines, n)
		}
		shown := strings.Count(text, "fib-learning")
		if _, rest, cut := strings.Cut(text, "\nand "); cut {
			var more int
			if _, err := fmt.Sscanf(rest, "%d more: weir report -v 20261122-0936-6db6", &more); err != nil || more < 2 {
				t.Errorf("%d further results: what is left out is told as %.60q", n, rest)
			}
			shown += more
		}
		if shown != n {
			t.Errorf("%d of %d further results are there or told to be elsewhere", shown, n)
		}
	}
}
