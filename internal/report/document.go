package report

import (
	"html/template"
	"slices"

	"weir/internal/chart"
)

// A document is what a report says, in its order, before it is in a format. A
// format walks it and knows nothing of campaigns.
type document []section

// A section is what stands under one heading.
type section struct {
	ID     string // it begins a part of a page, which has the sections up to the next such one; ""
	Title  string // in lower case; "": it goes on without a heading
	By     bool   // the heading is over all sections up to the next such one
	Folded bool   // a page shows the heading of the part alone, until somebody asks
	Blocks []block
}

// A block is one of the kinds below.
type block interface {
	Kind() string // the name of its template
}

// titleBlock is what was found, in a sentence: the heading of all.
type titleBlock struct {
	Text string
	But  string // what it cannot be told without; a page has that in its badge
	Sign string // of notes of the author
}

// String is all of it in one line.
func (t titleBlock) String() string { return t.Text + on(" ", t.But) + on(" ", t.Sign) }

// badgeBlock is how far results can be trusted.
type badgeBlock struct {
	Level   trustLevel
	Label   string // "quiet"
	Text    string // why
	Command string // which mends it; ""
}

// A trustLevel is how far results can be trusted.
type trustLevel string

// The levels.
const (
	goodTrust trustLevel = "good"
	someTrust trustLevel = "warn"
	noTrust   trustLevel = "bad"
)

// textBlock is a paragraph.
type textBlock struct {
	Label  string // what it is about, in lower case; ""
	Text   string // a sentence, or several; its last full stop may be missing
	Strong bool
}

// listBlock is a list.
type listBlock []entry

// An entry is one of a list.
type entry struct {
	Label  string // that stands out; ""
	Text   string
	Advice string // which a text has no room for; ""
	Under  []entry
	Tables []captioned // behind what is under it
	Of     any         // what it is of, which a remark may be about; nil
}

// captioned is a table of an entry.
type captioned struct {
	Of, Name string // what it is of, for where it does not stand below its entry; what it is
	table
}

// verbatimBlock is text whose lines stay as they are.
type verbatimBlock string

// chartsBlock are charts that stand beside each other in pairs.
type chartsBlock struct {
	Charts []chart.Chart
	Note   string // how they are read
}

// pictureBlock is a drawing of all the width.
type pictureBlock struct {
	Title, Note string
	Graph       template.HTML
}

// fileBlock is a file that comes with a page.
type fileBlock struct {
	Name, Type string
	Size       string // in words
	Data       []byte
}

// Kind implements block, as of all of these.
func (titleBlock) Kind() string    { return "title" }
func (badgeBlock) Kind() string    { return "badge" }
func (textBlock) Kind() string     { return "text" }
func (listBlock) Kind() string     { return "list" }
func (table) Kind() string         { return "table" }
func (verbatimBlock) Kind() string { return "verbatim" }
func (chartsBlock) Kind() string   { return "charts" }
func (pictureBlock) Kind() string  { return "picture" }
func (fileBlock) Kind() string     { return "file" }

// part begins a part of a page, which its contents name.
func (d *document) part(id, title string) { *d = append(*d, section{ID: id, Title: title}) }

// folded begins a part of a page that is not shown until somebody asks.
func (d *document) folded(id, title string) {
	*d = append(*d, section{ID: id, Title: title, Folded: true})
}

// add adds a section that has something in it.
func (d *document) add(title string, blocks ...block) {
	blocks = slices.DeleteFunc(blocks, empty)
	if len(blocks) > 0 {
		*d = append(*d, section{Title: title, Blocks: blocks})
	}
}

// empty reports whether there is nothing in a block.
func empty(b block) bool {
	switch b := b.(type) {
	case textBlock:
		return b.Text == ""
	case titleBlock:
		return b.Text == ""
	case listBlock:
		return len(b) == 0
	case table:
		return len(b.Rows) == 0
	case chartsBlock:
		return len(b.Charts) == 0
	}
	return b == nil
}

// sentences are a list of sentences.
func sentences(texts ...string) listBlock {
	var out listBlock
	for _, text := range texts {
		out = append(out, entry{Text: text})
	}
	return out
}

// paragraphs are texts as blocks.
func paragraphs(texts []string) []block {
	var out []block
	for _, text := range texts {
		out = append(out, textBlock{Text: text})
	}
	return out
}
