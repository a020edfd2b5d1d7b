package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"weir"
)

func writeMarkdown(w io.Writer, c weir.Campaign) error {
	var b bytes.Buffer
	v := viewOf(c)
	g := v.Grid
	if v.Experiment {
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", md(capital(v.Study.answer())), md(v.Study.against()))
		for _, s := range v.Others {
			fmt.Fprintf(&b, "**%s.** %s\n\n", md(capital(s.answer())), md(s.against()))
		}
	} else {
		fmt.Fprintf(&b, "# %s\n\n", md(headline(c, g)))
	}
	if simulated(c) {
		b.WriteString("**SIMULATED**: these are figures of a model, not of a machine.\n\n")
	}
	fmt.Fprintf(&b, "Campaign `%s`: %s.\n\n", c.ID, md(origin(c.Manifest, g)))
	if c.Ended != "complete" {
		fmt.Fprintf(&b, "**Not complete**: %s.\n\n", md(ending(c)))
		list := reasons(c)
		for _, r := range list {
			fmt.Fprintf(&b, "- %s\n", md(r.Text))
			if len(r.Log) > 0 {
				b.WriteString("  - last lines of its log:\n")
			}
			for _, line := range r.Log {
				fmt.Fprintf(&b, "    - %s\n", md(line))
			}
		}
		if len(list) > 0 {
			b.WriteByte('\n')
		}
	}
	if label, text := v.hindrance(c); text != "" {
		fmt.Fprintf(&b, "**%s**: %s.\n\n", capitalised(label), md(text))
	}
	if v.Experiment {
		markdownStudy(&b, v, c)
	}
	all := c
	c = v.Campaign
	t, further := v.tables(false)
	if len(t.Rows) > 0 {
		if v.Experiment {
			b.WriteString("\n## Medians of the runs\n\n")
		}
		heads := t.Heads()
		heads[0], heads[len(heads)-1] = "frame size, octets", "claim"
		if g.Imported {
			heads[len(heads)-1] = "warnings"
		}
		markdownTable(&b, heads, t.Rows)
	}
	markdownTransfers(&b, v)
	if list := further; len(list) > 0 {
		b.WriteString("\n## Further results\n\n")
		for _, f := range list {
			fmt.Fprintf(&b, "- %s\n", md(f.heading()))
			for _, v := range f.Figures {
				fmt.Fprintf(&b, "  - %s: %s\n", md(v.Name), md(v.Value))
			}
		}
		for _, f := range list {
			for _, part := range []struct {
				name string
				t    table
			}{{"points", f.Points}, {f.Longest, f.Spans}} {
				if len(part.t.Rows) > 0 {
					fmt.Fprintf(&b, "\n### %s %s: %s\n\n", md(f.Label), md(f.Heading), part.name)
					markdownTable(&b, part.t.Heads(), part.t.Rows)
				}
			}
		}
	}
	if mbits, from := imixEstimate(g); mbits != "" {
		fmt.Fprintf(&b, "\nIMIX estimate from %s: **%s Mbit/s**\n", md(from), mbits)
	}
	if list := v.warned(all); v.Experiment && len(list) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n", capitalised(ofTrials))
		for _, line := range list {
			fmt.Fprintf(&b, "- %s\n", md(line))
		}
	} else if list := doubts(g); len(list) > 0 {
		b.WriteString("\n## Warnings\n\n")
		for _, d := range list {
			texts := d.Texts()
			if len(texts) == 1 {
				fmt.Fprintf(&b, "- **%s** (%s): %s. %s\n", d.Code, md(d.Where()), md(texts[0]), d.Advice)
				continue
			}
			fmt.Fprintf(&b, "- **%s** (%s): %s\n", d.Code, md(d.Where()), d.Advice)
			for _, text := range texts {
				fmt.Fprintf(&b, "  - %s\n", md(text))
			}
		}
	}
	if list := claims(g); len(list) > 0 && !g.Imported {
		b.WriteString("\n## Claims\n\n")
		for i, e := range list {
			fmt.Fprintf(&b, "- \\[%d\\] %s%s\n", i+1, modelMark(c), md(e.String()))
			for _, m := range e.Missed {
				fmt.Fprintf(&b, "  - misses %s\n", md(m))
			}
		}
	}
	if list := procedures(c, g); len(list) > 0 && !g.Imported {
		b.WriteString("\n## Measured\n\n")
		for _, p := range list {
			fmt.Fprintf(&b, "- %s: %s\n", md(p.Heading), p)
		}
		for _, text := range explanations(c, g) {
			fmt.Fprintf(&b, "- %s\n", md(text))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
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
