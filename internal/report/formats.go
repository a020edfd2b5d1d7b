package report

import (
	"bytes"
	"io"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

func writeText(w io.Writer, c weir.Campaign, o Options) error {
	var b bytes.Buffer
	r := reportedOf(c, figures.Detail{Curves: o.Verbose, Brief: !o.Verbose})
	if plain, any := r.plain(); any && len(plain.Grid.Knees) > 0 && !o.Verbose {
		d := briefOf(r.view, r.c, o.width())
		if o.Trials {
			trialSections(&d, r)
		}
		d.WriteText(&b, o.width(), o.width())
	} else {
		r.asked(o).WriteText(&b, document.TextWidth, document.TableWidth)
	}
	_, err := w.Write(b.Bytes())
	return err
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
	var b bytes.Buffer
	reportedOf(c, figures.Detail{Curves: o.Verbose}).asked(o).WriteMarkdown(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// writeHTML writes one file that needs nothing else: no font, no network, and no
// script but for the reader who would zoom into a chart.
func writeHTML(w io.Writer, c weir.Campaign, _ Options) error {
	var b bytes.Buffer
	if err := documentOf(c, figures.Detail{Curves: true, Room: true}).WriteHTML(&b); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}
