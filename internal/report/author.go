package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
)

// A remarked is a note of a plan's author with its sign: a letter, as claims have
// numbers. Several campaigns may have the same.
type remarked struct {
	Text  string
	notes []weir.Note
	sign  string // "[a]"
	said  bool   // its text stands somewhere
}

// remarkedOf are the notes of an author with their signs.
func remarkedOf(notes []weir.Note) []*remarked {
	var out []*remarked
	for _, n := range notes {
		i := slices.IndexFunc(out, func(r *remarked) bool { return r.Text == n.Text })
		if i < 0 {
			i = len(out)
			out = append(out, &remarked{Text: n.Text, sign: "[" + strings.Repeat(string(rune('a'+i%26)), i/26+1) + "]"})
		}
		out[i].notes = append(out[i].notes, n)
	}
	return out
}

// isAbout reports whether a note is about a result.
func (n *remarked) isAbout(r *weir.Result) bool {
	return r != nil && slices.ContainsFunc(n.notes, func(n weir.Note) bool { return n.About(*r) })
}

// ofAll reports whether a note is about all of a campaign.
func (n *remarked) ofAll() bool {
	return slices.ContainsFunc(n.notes, func(n weir.Note) bool { return len(n.Of) == 0 })
}

// String is the line that explains the sign.
func (n *remarked) String() string { return n.sign + " " + n.Text }

// about is what a note is about, in words: "firewall open, frame size 64".
func (n *remarked) about() string {
	var parts []string
	for _, one := range n.notes {
		for _, factor := range slices.Sorted(maps.Keys(one.Of)) {
			parts = with(parts, levelWords(factor, one.Of[factor]))
		}
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
				case n.ofAll():
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
			if !n.isAbout(l[i].Of) {
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
	meant := func(c cell) bool { return n.isAbout(c.Of) }
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
