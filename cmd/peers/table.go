package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeTable prints a line for each row, in frames/s (of the loop: turns/s),
// with how many times the row's median weir's median is, and what share of the
// bare program's median the row's is, then the notes.
func writeTable(w io.Writer, rows []row, notes []string) error {
	const columns = "%-20s %12s %12s %12s %7s %10s %8s%s\n"
	var text strings.Builder
	fmt.Fprintf(&text, columns, "sender", "median /s", "min", "max", "rounds", "weir/this", "of bare", "")
	weir, bare := rows[weirRow], rows[bareRow]
	for _, r := range rows {
		if r.left {
			continue
		}
		if len(r.rates) == 0 {
			fmt.Fprintf(&text, "%-20s %s\n", r.name, r.trouble())
			continue
		}
		ratio, share, remark := "-", "-", ""
		if len(weir.rates) > 0 {
			ratio = fmt.Sprintf("%.2f", median(weir.rates)/median(r.rates))
		}
		if len(bare.rates) > 0 {
			share = fmt.Sprintf("%.0f %%", median(r.rates)/median(bare.rates)*100)
		}
		if r.message != "" {
			remark = "   a round failed: " + r.message
		}
		fmt.Fprintf(&text, columns, r.name, grouped(median(r.rates)), grouped(slices.Min(r.rates)),
			grouped(slices.Max(r.rates)), fmt.Sprint(len(r.rates)), ratio, share, remark)
	}
	text.WriteByte('\n')
	for _, n := range notes {
		fmt.Fprintln(&text, n)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// trouble says why there is no rate.
func (r row) trouble() string {
	if r.missing {
		return "missing here (scripts/setup peers installs it)"
	}
	return r.message
}

// grouped is a rate to the frame, its digits in groups of three.
func grouped(rate float64) string {
	digits := fmt.Sprintf("%.0f", rate)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
