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
	g := gridOf(c)
	fmt.Fprintf(&b, "# %s\n\n", md(headline(c, g)))
	if simulated(c) {
		b.WriteString("**SIMULATED**: these are figures of a model, not of a machine.\n\n")
	}
	fmt.Fprintf(&b, "Campaign `%s`: %s.\n\n", c.ID, md(origin(c.Manifest, g)))
	if c.Ended != "complete" {
		fmt.Fprintf(&b, "**Not complete**: %s.\n\n", md(ending(c)))
	}
	if t := tableOf(g); len(t.Rows) > 0 {
		markdownTable(&b, t)
	}
	if list := furtherOf(g); len(list) > 0 {
		b.WriteString("\n## Further results\n\n")
		for _, f := range list {
			fmt.Fprintf(&b, "- %s\n", md(f.heading()))
			for _, v := range f.Figures {
				fmt.Fprintf(&b, "  - %s: %s\n", md(v.Name), md(v.Value))
			}
		}
	}
	if mbits := imixEstimate(g); mbits != "" {
		fmt.Fprintf(&b, "\nIMIX estimate from the 64-octet rate: **%s Mbit/s**\n", mbits)
	}
	if list := doubts(g); len(list) > 0 {
		b.WriteString("\n## Warnings\n\n")
		for _, d := range list {
			fmt.Fprintf(&b, "- **%s** (%s): %s. %s\n", d.Code, md(strings.Join(d.About, ", ")), md(d.Texts[0]), d.Advice)
		}
	}
	if list := claims(g); len(list) > 0 {
		b.WriteString("\n## Claims\n\n")
		for i, e := range list {
			fmt.Fprintf(&b, "- \\[%d\\] %s%s\n", i+1, modelMark(c), md(e.String()))
			for _, m := range e.Missed {
				fmt.Fprintf(&b, "  - misses %s\n", md(m))
			}
		}
	}
	if list := procedures(c, g); len(list) > 0 {
		b.WriteString("\n## Measured\n\n")
		for _, p := range list {
			fmt.Fprintf(&b, "- %s: %s\n", md(p.Heading), p)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func markdownTable(b *bytes.Buffer, t table) {
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + md(strings.TrimSpace(cell)) + " ")
		}
		b.WriteString("|\n")
	}
	head := make([]string, len(t.Head))
	over := ""
	for i := range head {
		if t.Head[i] != "" {
			over = t.Head[i]
		}
		head[i] = over + ", " + t.Units[i]
	}
	head[0], head[len(head)-1] = "frame size, octets", "claim"
	line(head)
	b.WriteString("|:--" + strings.Repeat("|--:", len(head)-1) + "|\n")
	for _, cells := range t.Rows {
		line(cells)
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "\n", " ")

// md is text that Markdown shows as it is.
func md(s string) string { return markdownEscapes.Replace(s) }
