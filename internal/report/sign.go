package report

import (
	"fmt"
	"slices"
	"strings"
)

// A remark is a text that a reader is referred to by a sign beside what it is about.
type remark struct {
	Sign, Text string
	Where      string            // what it is about, in words; "": all of the document
	Is         func(of any) bool // whether it is about what a cell or an entry is of
	said       bool              // its text stands somewhere
}

// String is the line that explains the sign.
func (n *remark) String() string { return n.Sign + " " + n.Text }

func (n *remark) isAbout(of any) bool { return of != nil && n.Is(of) }

// refer puts the signs of remarks into the tables and lists of a document, and the text
// of each below the first one; that of those about all of it, and about what nothing
// shows, below its title.
func (d document) refer(notes []*remark) {
	if len(notes) == 0 {
		return
	}
	for i := range d {
		for j, one := range d[i].Blocks {
			switch one := one.(type) {
			case table:
				one.sign(notes)
				d[i].Blocks[j] = one
			case listBlock:
				d[i].Blocks[j] = one.signed(notes)
			}
		}
	}
	for i := range d {
		for j, one := range d[i].Blocks {
			title, is := one.(titleBlock)
			if !is {
				continue
			}
			var below []block
			for _, n := range notes {
				switch {
				case n.Where == "":
					title.Sign += n.Sign
					below = append(below, textBlock{Text: n.String()})
				case !n.said:
					below = append(below, textBlock{Text: fmt.Sprintf("%s %s: %s", n.Sign, n.Where, n.Text)})
				}
			}
			d[i].Blocks = slices.Concat(d[i].Blocks[:j], []block{title}, below, d[i].Blocks[j+1:])
			return
		}
	}
}

// signed is a list with the signs of remarks beside what they are about.
func (l listBlock) signed(notes []*remark) listBlock {
	var below []entry
	for i := range l {
		for _, n := range notes {
			if !n.isAbout(l[i].Of) {
				continue
			}
			l[i].Text += " " + n.Sign
			if !n.said {
				n.said, below = true, append(below, entry{Text: n.String()})
			}
		}
	}
	return append(l, below...)
}

// sign puts the sign of each remark where it is about what the cells of a table are of: beside its
// corner, a row or a column where all of that is meant, else beside single cells.
func (t *table) sign(notes []*remark) {
	for _, n := range notes {
		if t.signOf(n) && !n.said {
			n.said, t.Signed = true, append(t.Signed, n.String())
		}
	}
}

// signOf is that of one note; false where nothing of the table is meant.
func (t *table) signOf(n *remark) bool {
	meant := func(c cell) bool { return n.isAbout(c.Of) }
	all := func(cells []cell) bool {
		return slices.ContainsFunc(cells, meant) && !slices.ContainsFunc(cells, func(c cell) bool { return c.Of != nil && !meant(c) })
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
		var column []cell
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

// head puts a sign beside a heading.
func (t *table) head(x int, sign string) {
	h := &t.Columns[x]
	if text := &h.Unit; t.Grouped || h.Head == "" {
		*text = strings.TrimSpace(*text + " " + sign)
	} else {
		h.Head += " " + sign
	}
}
