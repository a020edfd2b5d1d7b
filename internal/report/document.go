package report

import "slices"

// A document is what a report says, in its order, before it is in a format. A
// format walks it and knows nothing of campaigns.
type document []section

// A section is what stands under one heading.
type section struct {
	Title  string // in lower case; "": it goes on without a heading
	By     bool   // the heading is over all sections up to the next such one
	Blocks []block
}

// A block is one of the kinds below.
type block interface{ isBlock() }

// titleBlock is what was found, in a sentence: the heading of all.
type titleBlock string

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
}

// captioned is a table of an entry.
type captioned struct {
	Of, Name string // what it is of, for where it does not stand below its entry; what it is
	table
}

// verbatimBlock is text whose lines stay as they are.
type verbatimBlock string

func (titleBlock) isBlock()    {}
func (textBlock) isBlock()     {}
func (listBlock) isBlock()     {}
func (table) isBlock()         {}
func (verbatimBlock) isBlock() {}

// add adds a section that has something in it.
func (d *document) add(title string, blocks ...block) {
	blocks = slices.DeleteFunc(blocks, func(b block) bool {
		switch b := b.(type) {
		case textBlock:
			return b.Text == ""
		case titleBlock:
			return b == ""
		case listBlock:
			return len(b) == 0
		case table:
			return len(b.Rows) == 0
		}
		return b == nil
	})
	if len(blocks) > 0 {
		*d = append(*d, section{Title: title, Blocks: blocks})
	}
}

// sentences are a list of sentences.
func sentences(texts ...string) listBlock {
	var out listBlock
	for _, text := range texts {
		out = append(out, entry{Text: text})
	}
	return out
}
