package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
)

// A remarked is a note of a plan's author with its sign: a letter, as claims have
// numbers.
type remarked struct {
	weir.Note
	sign string // "[a]"
	said bool   // its text stands somewhere
}

// remarkedOf are the notes of an author with their signs.
func remarkedOf(notes []weir.Note) []*remarked {
	var out []*remarked
	for i, n := range notes {
		out = append(out, &remarked{Note: n, sign: "[" + strings.Repeat(string(rune('a'+i%26)), i/26+1) + "]"})
	}
	return out
}

// String is the line that explains the sign.
func (n *remarked) String() string { return n.sign + " " + n.Text }

// about is what a note is about, in words: "firewall open, frame size 64".
func (n *remarked) about() string {
	var parts []string
	for _, factor := range slices.Sorted(maps.Keys(n.Of)) {
		parts = append(parts, levelWords(factor, n.Of[factor]))
	}
	return strings.Join(parts, ", ")
}

// sign puts the signs of the notes that are about results into the tables and lists of
// a document, and the text of each below the first one; those about all of the
// campaign, and those about results that nothing shows, below its title.
func (d document) sign(notes []*remarked) {
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
				case len(n.Of) == 0:
					title.Sign += n.sign
					below = append(below, textBlock{Text: n.String()})
				case !n.said:
					below = append(below, textBlock{Text: fmt.Sprintf("%s %s: %s", n.sign, n.about(), n.Text)})
				}
			}
			d[i].Blocks = slices.Concat(d[i].Blocks[:j], []block{title}, below, d[i].Blocks[j+1:])
			return
		}
	}
}

// signed is a list with the signs of notes beside what they are about.
func (l listBlock) signed(notes []*remarked) listBlock {
	var below []entry
	for i := range l {
		for _, n := range notes {
			if l[i].Of == nil || !n.About(*l[i].Of) {
				continue
			}
			l[i].Text += " " + n.sign
			if !n.said {
				n.said, below = true, append(below, entry{Text: n.String()})
			}
		}
	}
	return append(l, below...)
}

// sign puts the sign of each note where it is about the results of a table: beside its
// corner, a row or a column where all of that is meant, else beside single cells.
func (t *table) sign(notes []*remarked) {
	for _, n := range notes {
		if t.signOf(n) && !n.said {
			n.said, t.Signed = true, append(t.Signed, n.String())
		}
	}
}

// signOf is that of one note; false where nothing of the table is meant.
func (t *table) signOf(n *remarked) bool {
	meant := func(c cell) bool { return c.Of != nil && n.About(*c.Of) }
	all := func(cells []cell) bool {
		return slices.ContainsFunc(cells, meant) && !slices.ContainsFunc(cells, func(c cell) bool { return c.Of != nil && !meant(c) })
	}
	if all(slices.Concat(t.Rows...)) {
		t.head(0, n.sign)
		return true
	}
	there := false
	rows := make([]bool, len(t.Rows))
	for y, row := range t.Rows {
		if rows[y] = all(row); rows[y] {
			row[0].Sign += n.sign
			there = true
		}
	}
	for x := range t.Columns {
		var column []cell
		for _, row := range t.Rows {
			column = append(column, row[x])
		}
		if !slices.Contains(rows, true) && all(column) {
			t.head(x, n.sign)
			there = true
			continue
		}
		for y, row := range t.Rows {
			if !rows[y] && meant(row[x]) {
				row[x].Sign += n.sign
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
