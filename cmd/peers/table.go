package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// writeTable prints a line for each row, in frames/s, with how many times the
// median of weir is its median, then the notes.
func writeTable(w io.Writer, rows []row, notes []string) error {
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "median /s\tmin\tmax\trounds\tweir/this\t sender")
	weir := rows[weirRow]
	for _, r := range rows {
		if len(r.rates) == 0 {
			fmt.Fprintf(t, "-\t-\t-\t0\t-\t %s: %s\n", r.name, r.trouble())
			continue
		}
		ratio := "-"
		if len(weir.rates) > 0 {
			ratio = fmt.Sprintf("%.2f", median(weir.rates)/median(r.rates))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t %s", grouped(median(r.rates)),
			grouped(slices.Min(r.rates)), grouped(slices.Max(r.rates)), len(r.rates), ratio, r.name)
		if r.message != "" {
			fmt.Fprintf(t, " (a round failed: %s)", r.message)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
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
