package history

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// PageWidth is that of what a terminal shows, in characters, and those of its tables.
const (
	PageWidth    = 100
	columnGap    = 2
	columnFewest = 8 // characters to which a column is narrowed at most
)

// Table are the numbers of one document: a heading and a line for each, without
// the columns that none of them fills, and what is to be known of each. What is the same for all is told by itself.
func Table(rows []Row) (table [][]string, notes, same []string) {
	columns := []struct {
		name string
		of   func(Row) string
	}{
		{"VALUE", Row.Number},
		{"UNIT", func(r Row) string { return r.Unit }},
		{"YEAR", func(r Row) string { return known(r.Year) }},
		{"SYSTEM", func(r Row) string { return r.System }},
		{"MEASURED", func(r Row) string { return r.Measured }},
		{"DIRECTION", func(r Row) string { return known(r.Direction) }},
		{"FIREWALL", func(r Row) string { return known(r.Firewall) }},
		{"MTU", func(r Row) string { return known(r.MTU) }},
		{"FRAME", func(r Row) string { return known(r.Frame) }},
		{"CPU", func(r Row) string { return known(r.CPU) }},
		{"HARDWARE", func(r Row) string { return r.Hardware }},
	}
	table, notes = make([][]string, len(rows)+1), make([]string, len(rows)+1)
	for i, r := range rows {
		notes[i+1] = r.Note
	}
	for _, c := range columns {
		first := c.of(rows[0])
		alike := !slices.ContainsFunc(rows, func(r Row) bool { return c.of(r) != first })
		switch {
		case alike && (first == "?" || first == ""):
			continue // printDocument says that it is not known
		case alike && c.name != "VALUE" && c.name != "UNIT":
			same = append(same, strings.ToLower(c.name)+": "+first)
			continue
		}
		table[0] = append(table[0], c.name)
		for i, r := range rows {
			table[i+1] = append(table[i+1], c.of(r))
		}
	}
	if len(same) > 0 {
		same = []string{"all of them: " + strings.Join(same, "; ")}
	}
	return table, notes, same
}

// known is what was said; "?" is what was not.
func known[T comparable](v T) string {
	var none T
	if v == none {
		return "?"
	}
	return fmt.Sprint(v)
}

// Fitted are the lines of a table that is at most so wide: the widest columns are
// narrowed, and what does not fit goes on in the next line. The note of a row
// stands below it.
func Fitted(table [][]string, notes []string, width int) []string {
	wide := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	total := func() int {
		n := columnGap * (len(wide) - 1)
		for _, w := range wide {
			n += w
		}
		return n
	}
	for total() > width && slices.Max(wide) > columnFewest {
		wide[slices.Index(wide, slices.Max(wide))]--
	}
	var out []string
	for at, row := range table {
		cells, high := make([][]string, len(row)), 0
		for i, cell := range row {
			cells[i] = Wrapped(cell, wide[i])
			high = max(high, len(cells[i]))
		}
		for n := range high {
			var line strings.Builder
			for i, c := range cells {
				text := ""
				if n < len(c) {
					text = c[n]
				}
				line.WriteString(text + strings.Repeat(" ", wide[i]-utf8.RuneCountInString(text)+columnGap))
			}
			out = append(out, strings.TrimRight(line.String(), " "))
		}
		if at < len(notes) && notes[at] != "" {
			for _, line := range Wrapped(notes[at], width-2*columnGap) {
				out = append(out, strings.Repeat(" ", 2*columnGap)+line)
			}
		}
	}
	return out
}

// Wrapped are the words of a text in lines of so many characters; a longer word
// is cut.
func Wrapped(text string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			out, line = append(out, line), ""
		}
		for runes := []rune(word); len(runes) > width; runes = []rune(word) {
			out, word = append(out, string(runes[:width])), string(runes[width:])
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(out, line)
}
