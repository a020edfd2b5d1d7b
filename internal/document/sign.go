package document

import (
	"fmt"
	"slices"
	"strings"
)

// A Remark is a text that a reader is referred to by a sign next to what it is about.
type Remark struct {
	Sign, Text string
	Where      string            // what it is about, in words; "": all of the document
	Is         func(of any) bool // whether it is about what a cell or an entry is of; nil where Where is ""
	listed     bool              // its text is somewhere
}

// String is the line that explains the sign.
func (n *Remark) String() string { return n.Sign + " " + n.Text }

func (n *Remark) isAbout(of any) bool { return of != nil && n.Where != "" && n.Is(of) }

// Refer puts the signs of remarks into the tables and lists of a document, and the text
// of each below the first one; that of those about all of it, and about what nothing
// shows, below its title.
func (d Document) Refer(notes []*Remark) {
	if len(notes) == 0 {
		return
	}
	for i := range d {
		for j, one := range d[i].Blocks {
			switch one := one.(type) {
			case Table:
				one.sign(notes)
				d[i].Blocks[j] = one
			case List:
				d[i].Blocks[j] = one.signed(notes)
			}
		}
	}
	for i := range d {
		for j, one := range d[i].Blocks {
			title, is := one.(Title)
			if !is {
				continue
			}
			var below []Block
			for _, n := range notes {
				switch {
				case n.Where == "":
					title.Sign += n.Sign
					below = append(below, Paragraph{Text: n.String()})
				case !n.listed:
					below = append(below, Paragraph{Text: fmt.Sprintf("%s %s: %s", n.Sign, n.Where, n.Text)})
				}
			}
			d[i].Blocks = slices.Concat(d[i].Blocks[:j], []Block{title}, below, d[i].Blocks[j+1:])
			return
		}
	}
}

// signed is a list with the signs of remarks next to what they are about.
func (l List) signed(notes []*Remark) List {
	var below []Entry
	for i := range l {
		for _, n := range notes {
			if !n.isAbout(l[i].Of) {
				continue
			}
			l[i].Text += " " + n.Sign
			if !n.listed {
				n.listed, below = true, append(below, Entry{Text: n.String()})
			}
		}
	}
	return append(l, below...)
}

// sign puts the sign of each remark where it is about what the cells of a table are of: next to its
// corner, a row or a column where all of that is meant, else next to single cells.
func (t *Table) sign(notes []*Remark) {
	for _, n := range notes {
		if t.signOf(n) && !n.listed {
			n.listed, t.Signed = true, append(t.Signed, n.String())
		}
	}
}

// signOf is that of one note; false where nothing of the table is meant.
func (t *Table) signOf(n *Remark) bool {
	meant := func(c Cell) bool { return n.isAbout(c.Of) }
	all := func(cells []Cell) bool {
		return slices.ContainsFunc(cells, meant) && !slices.ContainsFunc(cells, func(c Cell) bool { return c.Of != nil && !meant(c) })
	}
	if all(slices.Concat(t.Rows...)) {
		t.head(0, n.Sign)
		return true
	}
	there := false
	rows := make([]bool, len(t.Rows))
	for y, row := range t.Rows {
		if rows[y] = all(row); rows[y] {
			row[0].Sign += n.Sign
			there = true
		}
	}
	for x := range t.Columns {
		var column []Cell
		for _, row := range t.Rows {
			column = append(column, row[x])
		}
		if !slices.Contains(rows, true) && all(column) {
			t.head(x, n.Sign)
			there = true
			continue
		}
		for y, row := range t.Rows {
			if !rows[y] && meant(row[x]) {
				row[x].Sign += n.Sign
				there = true
			}
		}
	}
	return there
}

// head puts a sign next to a heading.
func (t *Table) head(x int, sign string) {
	h := &t.Columns[x]
	if text := &h.Unit; t.Grouped || h.Head == "" {
		*text = strings.TrimSpace(*text + " " + sign)
	} else {
		h.Head += " " + sign
	}
}
