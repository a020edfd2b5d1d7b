package document

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// WriteText writes a table with aligned columns for a width.
func (t Table) WriteText(b *bytes.Buffer, indent string, width int) {
	if t.Grouped {
		t.groupedText(b, width)
		return
	}
	t = t.Fit(width - len(indent))
	lines, widths := t.lines(), t.widths()
	for n, line := range lines {
		if n == 1 && strings.Join(line, "") == "" {
			continue // no column has a unit
		}
		var s strings.Builder
		for i, text := range line {
			switch {
			case i == 0 && t.Columns[0].Numbers:
				s.WriteString(aligned(text, widths[i]))
			case i == 0:
				s.WriteString(padded(text, widths[i]))
			case t.Columns[i].Words:
				s.WriteString("  " + padded(text, widths[i]))
			default:
				s.WriteString("  " + aligned(text, widths[i]))
			}
		}
		b.WriteString(indent + strings.TrimRight(s.String(), " ") + "\n")
	}
}

// lines are the headings, the units, and the rows of a table as text.
func (t Table) lines() [][]string {
	lines := make([][]string, 2+len(t.Rows))
	for i, h := range t.Columns {
		room := t.marks(i)
		over := func(s string) string { // a heading is aligned with the numbers, not with their marks
			if s == "" || h.Over {
				return s
			}
			return s + strings.Repeat(" ", room)
		}
		lines[0], lines[1] = append(lines[0], over(h.Head)), append(lines[1], over(h.Unit))
		for y, row := range t.Rows {
			lines[2+y] = append(lines[2+y], row[i].marked(room))
		}
	}
	return lines
}

// widths are those of the columns as text.
func (t Table) widths() []int {
	out := make([]int, len(t.Columns))
	for _, line := range t.lines() {
		for i, text := range line {
			out[i] = max(out[i], utf8.RuneCountInString(text))
		}
	}
	return out
}

// Fit is a table without as many columns that it can spare as it takes to fit into
// a width.
func (t Table) Fit(width int) Table {
	for t.Width() > width {
		least := 0
		for _, h := range t.Columns {
			if h.Keep > 0 && (least == 0 || h.Keep < least) {
				least = h.Keep
			}
		}
		if least == 0 {
			break
		}
		t = t.Without(func(_ int, h Heading) bool { return h.Keep == least })
	}
	return t
}

// Width is that of the table as text.
func (t Table) Width() int {
	sum := -2
	for _, w := range t.widths() {
		sum += w + 2
	}
	return sum
}

// columns are some of a table, side by side.
type columns struct{ from, to int }

// groupedText writes a table with its groups of columns side by side, as many as
// fit into a width, and the others below them.
func (t Table) groupedText(b *bytes.Buffer, width int) {
	widths := t.groupedWidths()
	var line []columns
	used := widths[0]
	for _, set := range t.sets(widths, width-widths[0]) {
		need := 3
		for i := set.from; i < set.to; i++ {
			need += widths[i] + 2
		}
		if len(line) > 0 && used+need > width {
			t.writeGroups(b, widths, line)
			line, used = nil, widths[0]
		}
		line, used = append(line, set), used+need
	}
	t.writeGroups(b, widths, line)
}

// sets are the groups of columns, those that are wider than there is room for
// in parts.
func (t Table) sets(widths []int, room int) []columns {
	var out []columns
	for _, g := range t.groups() {
		set, need := columns{g.from, g.from}, 3
		for ; set.to < g.to; set.to++ {
			if need += widths[set.to] + 2; need > room && set.to > set.from {
				out = append(out, set)
				set.from, need = set.to, 3+widths[set.to]+2
			}
		}
		out = append(out, set)
	}
	return out
}

// groups are the columns of each group.
func (t Table) groups() []columns {
	var out []columns
	for i, h := range t.Columns {
		switch {
		case i == 0:
		case h.Start || len(out) == 0:
			out = append(out, columns{i, i + 1})
		default:
			out[len(out)-1].to++
		}
	}
	return out
}

// groupedWidths are those of the columns. The last one of a group is wide enough
// for the group's heading.
func (t Table) groupedWidths() []int {
	out := make([]int, len(t.Columns))
	for i, h := range t.Columns {
		out[i] = utf8.RuneCountInString(h.Unit)
		for _, row := range t.Rows {
			out[i] = max(out[i], utf8.RuneCountInString(row[i].marked(t.marks(i))))
		}
	}
	for _, g := range t.groups() {
		sum := 2 * (g.to - g.from - 1)
		for _, w := range out[g.from:g.to] {
			sum += w
		}
		out[g.to-1] += max(0, utf8.RuneCountInString(t.Columns[g.from].Head)-sum)
	}
	return out
}

// writeGroups writes some groups of columns.
func (t Table) writeGroups(b *bytes.Buffer, widths []int, sets []columns) {
	head := "  " + padded("", widths[0])
	units := "  " + padded(t.Columns[0].Unit, widths[0])
	for _, set := range sets {
		sum := -2
		for i := set.from; i < set.to; i++ {
			sum += widths[i] + 2
			units += gap(i == set.from) + aligned(t.Columns[i].Unit, widths[i])
		}
		over := slices.IndexFunc(t.groups(), func(g columns) bool { return set.from < g.to })
		head += gap(true) + padded(t.Columns[t.groups()[over].from].Head, sum)
	}
	if head = strings.TrimRight(head, " "); head != "" {
		b.WriteString(head + "\n")
	}
	b.WriteString(strings.TrimRight(units, " ") + "\n")
	for _, row := range t.Rows {
		line := "  " + padded(row[0].String(), widths[0])
		for _, set := range sets {
			for i := set.from; i < set.to; i++ {
				text := row[i].Text
				if !t.Columns[i].Words {
					text = aligned(row[i].marked(t.marks(i)), widths[i])
				}
				line += gap(i == set.from) + text
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
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

// footnotes are the notes of a table, those of the author, and what its numbers are.
func (t Table) footnotes() (out []Entry) {
	for i, note := range t.Notes {
		out = append(out, Entry{Text: fmt.Sprintf("^%d %s", i+1, note)})
	}
	for _, note := range t.Signed {
		out = append(out, Entry{Text: note})
	}
	if t.Note != "" {
		out = append(out, Entry{Text: t.Note})
	}
	return out
}
