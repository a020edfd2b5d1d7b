package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"weir"
)

func writeMarkdown(w io.Writer, c weir.Campaign, o Options) error {
	var b bytes.Buffer
	v := viewOf(c)
	plain, any := v.plain()
	if any {
		fmt.Fprintf(&b, "# %s\n\n", md(headline(plain.Campaign, plain.Grid)))
	}
	for i, s := range v.answers() {
		if i == 0 && !any {
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", md(capital(s.answer())), md(s.against()))
			continue
		}
		fmt.Fprintf(&b, "**%s.** %s\n\n", md(capital(s.answer())), md(s.against()))
	}
	if simulated(c) {
		b.WriteString("**SIMULATED**: these are figures of a model, not of a machine.\n\n")
	}
	fmt.Fprintf(&b, "Campaign `%s`: %s.\n\n", c.ID, md(origin(c.Manifest, v.All)))
	markdownEnding(&b, c)
	for _, part := range []*view{&v, v.Plain} {
		if part == nil {
			continue
		}
		if label, text := part.hindrance(part.hindered(c)); text != "" {
			fmt.Fprintf(&b, "**%s**: %s.\n\n", capitalised(label), md(text))
		}
	}
	if any {
		markdownTables(&b, plain, o.Verbose)
	}
	if v.Experiment {
		if any {
			b.WriteByte('\n')
		}
		markdownStudy(&b, v, c)
		markdownTables(&b, v, o.Verbose)
	}
	markdownDoubts(&b, v, c)
	if list := claims(v.All); len(list) > 0 && !v.All.Imported {
		b.WriteString("\n## Claims\n\n")
		for i, e := range list {
			fmt.Fprintf(&b, "- \\[%d\\] %s%s\n", i+1, modelMark(c), md(e.String()))
			for _, m := range e.Missed {
				fmt.Fprintf(&b, "  - misses %s\n", md(m))
			}
		}
	}
	if list := procedures(v.Whole, v.All); len(list) > 0 && !v.All.Imported {
		b.WriteString("\n## Measured\n\n")
		for _, p := range list {
			fmt.Fprintf(&b, "- %s: %s\n", md(p.Heading), p)
		}
		for _, text := range explanations(v.Whole, v.All) {
			fmt.Fprintf(&b, "- %s\n", md(text))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// markdownEnding says why a campaign is not complete.
func markdownEnding(b *bytes.Buffer, c weir.Campaign) {
	if c.Ended == "complete" {
		return
	}
	fmt.Fprintf(b, "**Not complete**: %s.\n\n", md(ending(c)))
	list := reasons(c)
	for _, r := range list {
		fmt.Fprintf(b, "- %s\n", md(r.Text))
		if len(r.Log) > 0 {
			b.WriteString("  - last lines of its log:\n")
		}
		for _, line := range r.Log {
			fmt.Fprintf(b, "    - %s\n", md(line))
		}
	}
	if len(list) > 0 {
		b.WriteByte('\n')
	}
}

// markdownTables writes the numbers of a view.
func markdownTables(b *bytes.Buffer, v view, curves bool) {
	t, further := v.tables(curves)
	knees := sweptTable(v.Grid, 0)
	if v.Experiment && len(knees.Rows)+len(t.Rows) > 0 {
		b.WriteString("\n## Medians of the runs\n\n")
	}
	if len(knees.Rows) > 0 {
		markdownTable(b, knees.proper(), knees.Rows)
		b.WriteByte('\n')
		for _, line := range sweptNotes(v.Grid) {
			fmt.Fprintf(b, "- %s\n", md(line))
		}
		if !v.Experiment {
			fmt.Fprintf(b, "- Trust: %s\n", md(trustOf(v.Campaign, v.Grid).String()))
		}
	}
	if len(t.Rows) > 0 {
		if len(knees.Rows) > 0 {
			b.WriteByte('\n')
		}
		heads := t.Heads()
		heads[0], heads[len(heads)-1] = "frame size, octets", "claim"
		if v.Grid.Imported {
			heads[len(heads)-1] = "warnings"
		}
		markdownTable(b, heads, t.Rows)
	}
	markdownTransfers(b, v)
	markdownFurther(b, further)
	if mbits, from := imixEstimate(v.Grid); mbits != "" {
		fmt.Fprintf(b, "\nIMIX estimate from %s: **%s Mbit/s**\n", md(from), mbits)
	}
}

func markdownFurther(b *bytes.Buffer, list []finding) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n## Further results\n\n")
	for _, f := range list {
		fmt.Fprintf(b, "- %s\n", md(f.heading()))
		for _, v := range f.Figures {
			fmt.Fprintf(b, "  - %s: %s\n", md(v.Name), md(v.Value))
		}
	}
	for _, f := range list {
		for _, part := range []struct {
			name string
			t    table
		}{{"points", f.Points}, {f.Longest, f.Spans}} {
			if len(part.t.Rows) > 0 {
				fmt.Fprintf(b, "\n### %s %s: %s\n\n", md(f.Label), md(f.Heading), part.name)
				markdownTable(b, part.t.Heads(), part.t.Rows)
			}
		}
	}
}

// markdownDoubts writes the warnings of results and of the trials of runs.
func markdownDoubts(b *bytes.Buffer, v view, c weir.Campaign) {
	if plain, any := v.plain(); any {
		list := doubts(plain.Grid)
		if len(list) > 0 {
			b.WriteString("\n## Warnings\n\n")
		}
		for _, d := range list {
			texts := d.Texts()
			if len(texts) == 1 {
				fmt.Fprintf(b, "- **%s** (%s): %s. %s\n", d.Code, md(d.Where()), md(texts[0]), d.Advice)
				continue
			}
			fmt.Fprintf(b, "- **%s** (%s): %s\n", d.Code, md(d.Where()), d.Advice)
			for _, text := range texts {
				fmt.Fprintf(b, "  - %s\n", md(text))
			}
		}
	}
	if !v.Experiment {
		return
	}
	list := v.warned(c)
	if len(list) > 0 {
		fmt.Fprintf(b, "\n## %s\n\n", capitalised(ofTrials))
	}
	for _, line := range list {
		fmt.Fprintf(b, "- %s\n", md(line))
	}
}

func markdownTable(b *bytes.Buffer, heads []string, rows [][]string) {
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + md(strings.TrimSpace(cell)) + " ")
		}
		b.WriteString("|\n")
	}
	line(heads)
	b.WriteString("|:--" + strings.Repeat("|--:", len(heads)-1) + "|\n")
	for _, cells := range rows {
		line(cells)
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "\n", " ")

// md is text that Markdown shows as it is.
func md(s string) string { return markdownEscapes.Replace(s) }
