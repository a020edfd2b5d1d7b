// Package document is what a report is before it is in a format: sections of blocks,
// among them tables that are described by their columns. Text for terminals, Markdown
// and pages only walk it. It knows nothing of campaigns and scales no number: package
// figures does.
package document

import (
	"html/template"
	"slices"

	"weir/internal/chart"
)

// A Document is what a report says, in its order, before it is in a format. A
// format walks it and knows nothing of campaigns.
type Document []Section

// A Section is what one heading is for.
type Section struct {
	ID     string // it begins a part of a page, which has the sections up to the next such one; ""
	Title  string // in lower case; "": it goes on without a heading
	By     bool   // the heading is over all sections up to the next such one
	Folded bool   // a page shows the heading of the part alone, until somebody asks
	Blocks []Block
}

// A Block is one of the kinds below.
type Block interface {
	Kind() string // the name of its template
}

// A Title is what was found, in a sentence: the heading of all.
type Title struct {
	Text string
	But  string // the reservation that has to go with it; a page has that in its badge
	Sign string // of notes of the author
}

// String is all of it in one line.
func (t Title) String() string { return t.Text + On(" ", t.But) + On(" ", t.Sign) }

// A Badge is how far results can be trusted.
type Badge struct {
	Level   Trust
	Label   string // "quiet"
	Text    string // why
	Command string // which mends it; ""
}

// Trust is how far results can be trusted.
type Trust string

// The levels.
const (
	GoodTrust Trust = "good"
	SomeTrust Trust = "warn"
	NoTrust   Trust = "bad"
)

// A Paragraph is text, with a label or without.
type Paragraph struct {
	Label  string // what it is about, in lower case; ""
	Text   string // a sentence, or several; its last full stop may be missing
	Strong bool
}

// A List is one of entries.
type List []Entry

// An Entry is one of a list.
type Entry struct {
	Label  string // that stands out; ""
	Text   string
	Advice string // which a text has no room for; ""
	Under  []Entry
	Tables []Captioned // behind what is under it
	Of     any         // what it is of, which a remark may be about; nil
}

// A Captioned is a table of an entry.
type Captioned struct {
	Of, Name string // what it is of, for where it is not below its entry; what it is
	Table
}

// Verbatim is text whose lines stay as they are.
type Verbatim string

// ChartSet are charts that are placed side by side in pairs.
type ChartSet struct {
	Charts []chart.Chart
	Note   string // how they are read
}

// A Picture is a drawing of all the width.
type Picture struct {
	Title, Note string
	Graph       template.HTML
}

// A File is a file that comes with a page.
type File struct {
	Name, Type string
	Size       string // in words
	Data       []byte
	Address    string // where it is, in place of Data; ""
}

// Kind implements Block.
func (Title) Kind() string { return "title" }

// Kind implements Block.
func (Badge) Kind() string { return "badge" }

// Kind implements Block.
func (Paragraph) Kind() string { return "text" }

// Kind implements Block.
func (List) Kind() string { return "list" }

// Kind implements Block.
func (Table) Kind() string { return "table" }

// Kind implements Block.
func (Verbatim) Kind() string { return "verbatim" }

// Kind implements Block.
func (ChartSet) Kind() string { return "charts" }

// Kind implements Block.
func (Picture) Kind() string { return "picture" }

// Kind implements Block.
func (File) Kind() string { return "file" }

// Part begins a part of a page, which its contents name.
func (d *Document) Part(id, title string) { *d = append(*d, Section{ID: id, Title: title}) }

// Fold begins a part of a page that is not shown until somebody asks.
func (d *Document) Fold(id, title string) {
	*d = append(*d, Section{ID: id, Title: title, Folded: true})
}

// Add adds a section that has something in it.
func (d *Document) Add(title string, blocks ...Block) {
	blocks = slices.DeleteFunc(blocks, empty)
	if len(blocks) > 0 {
		*d = append(*d, Section{Title: title, Blocks: blocks})
	}
}

// empty reports whether there is nothing in a block.
func empty(b Block) bool {
	switch b := b.(type) {
	case Paragraph:
		return b.Text == ""
	case Title:
		return b.Text == ""
	case List:
		return len(b) == 0
	case Table:
		return len(b.Rows) == 0
	case ChartSet:
		return len(b.Charts) == 0
	}
	return b == nil
}

// Sentences are a list of sentences.
func Sentences(texts ...string) List {
	var out List
	for _, text := range texts {
		out = append(out, Entry{Text: text})
	}
	return out
}

// Paragraphs are texts as blocks.
func Paragraphs(texts []string) []Block {
	var out []Block
	for _, text := range texts {
		out = append(out, Paragraph{Text: text})
	}
	return out
}
