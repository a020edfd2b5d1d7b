package document

import (
	"html/template"
	"slices"
	"strings"
)

// A Table is rows of cells under headings, for all formats.
type Table struct {
	Title   string // what it is of: "throughput, kpps"; "": its section says it
	Columns []Heading
	Rows    [][]Cell
	Notes   []string // footnotes of its cells, from 1
	Signed  []string // notes of the author with their signs
	Note    string   // what its numbers are
	Broken  bool     // headings go on in the second line, in place of units
	Grouped bool     // a text has its groups of columns side by side or below each other
}

// A Heading is that of a column.
type Heading struct {
	Head, Unit string // a Head of "" is that of the column before
	Start      bool   // it begins a group, even where its Head is ""
	Words      bool   // the column holds words
	Numbers    bool   // the first column holds numbers, and no names of rows
	Keep       int    // the order in which a narrow text leaves columns out; 0: never
	Over       bool   // it covers the marks of its cells, which always have room
}

// A Cell is one place of a table.
type Cell struct {
	Text string
	Note string // numbers of footnotes: "1", "1,3"
	Mark string // of a doubt, or of a verdict
	Sign string // of notes of the author
	Of   any    // what its number is of, which a remark may be about; nil

	// What a page has room for.
	Change  string // that the mark is about
	Class   string // of the style sheet
	Picture template.HTML
	Link    string // where the first cell of a row leads
}

// A Column describes one column of a table of things, for people and for programs.
type Column[T any] struct {
	Heading
	Text  func(T) string // nil: people do not see it
	Key   string         // its name for programs
	Value func(T) string // nil: programs do not have it
	Look  func(T, *Cell) // what a cell has in addition to its text; nil
	Of    func(T) any    // what a cell is of; nil
}

// TableOf is a table of things.
func TableOf[T any](columns []Column[T], list []T) Table {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c Column[T]) bool { return c.Text == nil })
	t := Table{}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading)
	}
	for _, v := range list {
		row := make([]Cell, len(columns))
		for i, c := range columns {
			row[i].Text = c.Text(v)
			if c.Look != nil {
				c.Look(v, &row[i])
			}
			if c.Of != nil {
				row[i].Of = c.Of(v)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Records are things for programs, after their names.
func Records[T any](columns []Column[T], list []T) [][]string {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c Column[T]) bool { return c.Value == nil })
	out := make([][]string, 1+len(list))
	for i := range out {
		out[i] = make([]string, 0, len(columns))
	}
	for _, c := range columns {
		out[0] = append(out[0], c.Key)
		for i, v := range list {
			out[i+1] = append(out[i+1], c.Value(v))
		}
	}
	return out
}

// Cells is a row of cells without marks.
func Cells(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}

// InWords are the cells of a row in one line each.
func InWords(row []Cell) []string {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = c.String()
	}
	return out
}

// String is a cell in one line.
func (c Cell) String() string { return c.marked(0) }

// marked is the text of a cell with its mark and its sign, or with room for those of
// others.
func (c Cell) marked(room int) string {
	text := c.Text
	if c.Note != "" {
		text += " ^" + c.Note
	}
	return text + padded(c.behind(), room)
}

// behind returns what follows the number of a cell.
func (c Cell) behind() string { return On(" ", c.Mark) + On(" ", c.Sign) }

// marks is the room that the cells of a column have for marks and signs.
func (t Table) marks(i int) int {
	room := 0
	if t.Columns[i].Over {
		room = len(" !")
	}
	for _, row := range t.Rows {
		room = max(room, len(row[i].behind()))
	}
	return room
}

// Heads are the headings in one line each: "throughput, kpps", "p Holm".
func (t Table) Heads() []string {
	out := make([]string, len(t.Columns))
	over, with := "", ", "
	if t.Broken {
		with = " "
	}
	for i, c := range t.Columns {
		if c.Head != "" || c.Start {
			over = strings.TrimSpace(c.Head)
		}
		out[i] = strings.TrimPrefix(over+On(with, strings.TrimSpace(c.Unit)), with)
	}
	return out
}

// Without is a table without some of its columns.
func (t Table) Without(leave func(i int, h Heading) bool) Table {
	out := t
	out.Columns, out.Rows = nil, make([][]Cell, len(t.Rows))
	for i, h := range t.Columns {
		if leave(i, h) {
			continue
		}
		out.Columns = append(out.Columns, h)
		for y, row := range t.Rows {
			out.Rows[y] = append(out.Rows[y], row[i])
		}
	}
	return out
}
