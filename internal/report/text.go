package report

import (
	"bytes"
	"encoding/json"
	"io"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// A renderer writes a document in a format.
type renderer func(document.Document, *bytes.Buffer) error

func inText(d document.Document, b *bytes.Buffer) error {
	d.WriteText(b, document.TextWidth, document.TableWidth)
	return nil
}

// inColumns writes text for a terminal of some width.
func inColumns(width int) renderer {
	return func(d document.Document, b *bytes.Buffer) error {
		d.WriteText(b, width, width)
		return nil
	}
}

func inMarkdown(d document.Document, b *bytes.Buffer) error {
	d.WriteMarkdown(b)
	return nil
}

// write writes a document.
func (r renderer) write(w io.Writer, d document.Document) error {
	var b bytes.Buffer
	if err := r(d, &b); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

func writeText(w io.Writer, c weir.Campaign, o Options) error {
	r := reportedOf(c, figures.Detail{Curves: o.Verbose, Brief: !o.Verbose})
	if plain, any := r.plain(); any && len(plain.Grid.Knees) > 0 && !o.Verbose {
		d := briefOf(r.view, r.c, o.width())
		if o.Trials {
			trialSections(&d, r)
		}
		return inColumns(o.width()).write(w, d)
	}
	return renderer(inText).write(w, r.asked(o))
}

// asked is the document, with all trials where they are asked for.
func (r reported) asked(o Options) document.Document {
	d := r.document()
	if o.Trials {
		trialSections(&d, r)
	}
	return d
}

func writeMarkdown(w io.Writer, c weir.Campaign, o Options) error {
	return renderer(inMarkdown).write(w, reportedOf(c, figures.Detail{Curves: o.Verbose}).asked(o))
}

// writeHTML writes one file that needs nothing else: no font, no network, and no
// script but for the reader who would zoom into a chart.
func writeHTML(w io.Writer, c weir.Campaign, _ Options) error {
	return renderer(document.Document.WriteHTML).write(w, documentOf(c, figures.Detail{Curves: true, Room: true}))
}

// writeIndented writes a value as JSON.
func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
