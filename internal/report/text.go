package report

import (
	"bytes"
	"encoding/json"
	"io"

	"weir"
	"weir/internal/document"
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
	if o.Verbose {
		return renderer(inText).write(w, reportedOf(c, full, o).document())
	}
	r := reportedOf(c, brief, o)
	if plain, any := r.plain(); any && len(plain.Grid.Knees) > 0 {
		r.detail = glance
		return inColumns(o.width()).write(w, r.document())
	}
	return renderer(inText).write(w, r.document())
}

func writeMarkdown(w io.Writer, c weir.Campaign, o Options) error {
	how := usual
	if o.Verbose {
		how = full
	}
	return renderer(inMarkdown).write(w, reportedOf(c, how, o).document())
}

// writeHTML writes one file that needs nothing else: no font, no network, and no
// script but for the reader who would zoom into a chart.
func writeHTML(w io.Writer, c weir.Campaign, o Options) error {
	return renderer(document.Document.WriteHTML).write(w, reportedOf(c, page, o).document())
}

// writeIndented writes a value as JSON.
func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
