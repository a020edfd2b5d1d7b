package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A span of columns of a matrix: those of one group.
type columns struct{ from, to int }

// text writes the matrix with its groups of columns side by side, as many as
// fit into a width, and the others below them.
func (m matrix) text(b *bytes.Buffer, width int) {
	first := utf8.RuneCountInString(m.Corner)
	for _, r := range m.Rows {
		first = max(first, utf8.RuneCountInString(r.Label))
	}
	widths := m.widths()
	var line []columns
	used := first
	for _, set := range m.sets(widths, width-first) {
		need := 3
		for i := set.from; i < set.to; i++ {
			need += widths[i] + 2
		}
		if len(line) > 0 && used+need > width {
			m.write(b, first, widths, line)
			line, used = nil, first
		}
		line, used = append(line, set), used+need
	}
	m.write(b, first, widths, line)
}

// sets are the groups of columns, those that are wider than there is room for
// in parts.
func (m matrix) sets(widths []int, room int) []columns {
	var out []columns
	from := 0
	for _, g := range m.Groups {
		set, need := columns{from, from}, 3
		for ; set.to < from+g.Span; set.to++ {
			if need += widths[set.to] + 2; need > room && set.to > set.from {
				out = append(out, set)
				set.from, need = set.to, 3+widths[set.to]+2
			}
		}
		out, from = append(out, set), set.to
	}
	return out
}

// widths are those of the columns. The last one of a group is wide enough for
// the group's heading.
func (m matrix) widths() []int {
	out := make([]int, len(m.Levels))
	for i, level := range m.Levels {
		out[i] = utf8.RuneCountInString(level)
		for _, r := range m.Rows {
			out[i] = max(out[i], utf8.RuneCountInString(r.Cells[i].marked(m.marked(i))))
		}
	}
	from := 0
	for _, g := range m.Groups {
		sum := 2 * (g.Span - 1)
		for i := from; i < from+g.Span; i++ {
			sum += out[i]
		}
		from += g.Span
		out[from-1] += max(0, utf8.RuneCountInString(g.Text)-sum)
	}
	return out
}

// marked reports whether any number of a column has a mark.
func (m matrix) marked(i int) bool {
	for _, r := range m.Rows {
		if r.Cells[i].Mark != "" {
			return true
		}
	}
	return false
}

// marked is the number with its mark, or with room for that of others.
func (c matrixCell) marked(room bool) string {
	value := c.Value
	if c.Note != "" {
		value += " ^" + c.Note
	}
	switch {
	case c.Mark != "":
		return value + " " + c.Mark
	case room:
		return value + "  "
	}
	return value
}

// write writes some groups of columns.
func (m matrix) write(b *bytes.Buffer, first int, widths []int, sets []columns) {
	head := "  " + padded("", first)
	units := "  " + padded(m.Corner, first)
	for _, set := range sets {
		sum := -2
		for i := set.from; i < set.to; i++ {
			sum += widths[i] + 2
			units += gap(i == set.from) + aligned(m.Levels[i], widths[i])
		}
		head += gap(true) + padded(m.heading(set.from), sum)
	}
	if head = strings.TrimRight(head, " "); head != "" {
		b.WriteString(head + "\n")
	}
	b.WriteString(strings.TrimRight(units, " ") + "\n")
	for _, r := range m.Rows {
		line := "  " + padded(r.Label, first)
		for _, set := range sets {
			for i := set.from; i < set.to; i++ {
				cell := aligned(r.Cells[i].marked(m.marked(i)), widths[i])
				if m.Remarks && i == len(widths)-1 {
					cell = r.Cells[i].Value
				}
				line += gap(i == set.from) + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// heading is that of the group that a column is in.
func (m matrix) heading(from int) string {
	at := 0
	for _, g := range m.Groups {
		if at += g.Span; from < at {
			return g.Text
		}
	}
	return ""
}

// gap is the room before a column.
func gap(start bool) string {
	if start {
		return "   "
	}
	return "  "
}

// padded is text with the room that is left behind it, aligned with that before
// it.
func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func aligned(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// rows are the cells of a matrix in words, for Markdown.
func (m matrix) rows() [][]string {
	out := make([][]string, len(m.Rows))
	for i, r := range m.Rows {
		out[i] = []string{r.Label}
		for _, c := range r.Cells {
			out[i] = append(out[i], c.marked(false))
		}
	}
	return out
}

// heads are the headings of a matrix in one line each: "forward none".
func (m matrix) heads() []string {
	out := []string{m.Corner}
	group := -1
	for i, level := range m.Levels {
		if m.Starts[i] {
			group++
		}
		out = append(out, strings.TrimSpace(m.Groups[group].Text+" "+level))
	}
	return out
}

// footnotes are the notes of a matrix, and what its numbers are.
func (m matrix) footnotes() (out []entry) {
	for i, note := range m.Notes {
		out = append(out, entry{Text: fmt.Sprintf("^%d %s", i+1, note)})
	}
	if m.Note != "" {
		out = append(out, entry{Text: m.Note})
	}
	return out
}
