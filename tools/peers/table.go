package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// writeTable prints a line for each sender, in frames/s (of the loop: turns/s),
// with how many times its rate weir's is, and what share of the bare program's
// its own is, both with their intervals; then the notes.
func writeTable(w io.Writer, r results, notes []string) error {
	const columns = "%-20s %12s %12s %12s %6s %24s %24s%s\n"
	var text strings.Builder
	fmt.Fprintf(&text, columns, "sender", "median /s", "min", "max", "turns", "weir/this (95 %)", "% of bare (95 %)", "")
	for _, name := range r.senders {
		if reason, failed := r.trouble(name); failed {
			fmt.Fprintf(&text, "%-20s %s\n", name, reason)
			continue
		}
		rates := slices.Sorted(maps.Values(r.rates(name)))
		remark := ""
		if n, reason := r.lost(name); n > 0 {
			remark = fmt.Sprintf("   %d lost: %s", n, reason)
		}
		fmt.Fprintf(&text, columns, name, grouped(median(rates)), grouped(rates[0]), grouped(rates[len(rates)-1]),
			fmt.Sprint(len(rates)), r.ratio(weirName, name).text(1, 2), r.ratio(name, bareName).text(100, 1), remark)
	}
	text.WriteByte('\n')
	if q := r.ratio(weirName, bareName); q.Lower > 1 {
		fmt.Fprintln(&text, "NOTE: the bare program is slower than weir here, and so no bound")
	}
	for _, n := range notes {
		fmt.Fprintln(&text, n)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// text is a ratio times a scale, with its interval where it has one.
func (q ratio) text(scale float64, decimals int) string {
	one := fmt.Sprintf("%.*f", decimals, scale*q.Ratio)
	switch {
	case q.Blocks == 0:
		return "-"
	case q.Lower == q.Upper: // of one block, or of a sender and itself
		return one
	}
	return fmt.Sprintf("%s (%.*f to %.*f)", one, decimals, scale*q.Lower, decimals, scale*q.Upper)
}

// grouped is a rate to the frame, its digits in groups of three.
func grouped(rate float64) string {
	digits := fmt.Sprintf("%.0f", rate)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// versionOf is a program with the first word that looks like a version in what
// it says of itself: "trafgen 0.6.8".
func versionOf(program, said string) string {
	for word := range strings.FieldsSeq(said) {
		word = strings.Trim(word, "',()")
		if word != "" && word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return program + " " + word
		}
	}
	return program + ", version unknown"
}
