package report

import (
	"bytes"
	"fmt"
	"strings"

	"weir"
)

// markdownStudy writes what an experiment found, after its heading.
func markdownStudy(b *bytes.Buffer, v view, c weir.Campaign) {
	fmt.Fprintf(b, "Experiment: %s.\n", md(v.design()))
	if m := c.Manifest.Imported; m != nil {
		for _, note := range m.Notes {
			fmt.Fprintf(b, "\n%s.\n", md(strings.TrimSuffix(capitalised(note), ".")))
		}
	}
	if len(v.Others) == 0 {
		markdownFound(b, v.Study)
	}
	for _, s := range v.several() {
		fmt.Fprintf(b, "\n# By %s, all else the same\n", md(s.by))
		markdownFound(b, s)
	}
	if list := v.Study.blocks(); len(list) > 0 {
		fmt.Fprintf(b, "\n## ministat\n\n%s, %s:\n\n```\n%s```\n", md(list[0].Title), v.Study.unit(), list[0].Text)
	}
	if t := v.Study.readings(c); len(t.Rows) > 0 {
		fmt.Fprintf(b, "\n## What the DUT's machine said\n\nWith %s:\n\n", md(t.Subject))
		markdownTable(b, t.Head, t.Rows)
	}
}

// markdownFound writes the numbers of a study and its verdicts.
func markdownFound(b *bytes.Buffer, s study) {
	for _, m := range s.matrices() {
		fmt.Fprintf(b, "\n## %s\n\n", md(capitalised(m.Title)))
		markdownTable(b, m.heads(), m.rows())
		markdownNotes(b, m)
	}
	fmt.Fprintf(b, "\n%s\n", md(s.key()))
	markdownVerdicts(b, s)
}

func markdownVerdicts(b *bytes.Buffer, s study) {
	if t := s.noiseTable(); len(t.Rows) > 0 {
		b.WriteString("\n## How much runs of the unchanged DUT differ\n\n")
		markdownTable(b, t.flat(), t.Rows)
		fmt.Fprintf(b, "\n%s\n", md(s.noiseNote()))
	} else {
		b.WriteString("\n## Verdicts\n\n")
		t := s.verdictTable(s.values())
		markdownTable(b, t.flat(), t.Rows)
	}
	if list := s.figures(); len(effectsOf(list)) > 0 {
		t := s.verdictTable(list)
		fmt.Fprintf(b, "\nOn %s:\n\n", md(figureTitle(list)))
		markdownTable(b, t.flat(), t.Rows)
	}
	if text := s.gained(); text != "" {
		fmt.Fprintf(b, "\n%s\n", md(text))
	}
	for _, t := range s.effectTables() {
		fmt.Fprintf(b, "\n## Effects of the factors on %s\n\n", md(t.Title))
		markdownTable(b, t.Head, t.Rows)
		if t.Vetoed != "" {
			fmt.Fprintf(b, "\nNot proven: %s\n", md(t.Vetoed))
		}
	}
	for _, part := range s.parts() {
		fmt.Fprintf(b, "\n## %s\n\n", md(capitalised(part.Title)))
		for _, line := range part.Lines {
			fmt.Fprintf(b, "- %s\n", md(line))
		}
	}
}

// heads are the headings of a matrix in one line each: "forward none".
func (m matrix) heads() []string {
	out := []string{m.Corner}
	group := -1
	for i, level := range m.Levels {
		if m.Starts[i] {
			group++
		}
		out = append(out, strings.TrimSpace(m.Groups[group].Text+" "+level))
	}
	return out
}

// flat are the two lines of a table's headings in one.
func (t table) flat() []string {
	out := make([]string, len(t.Head))
	over := ""
	for i := range t.Head {
		if t.Head[i] != "" {
			over = t.Head[i]
		}
		out[i] = strings.TrimSpace(over + " " + t.Units[i])
	}
	return out
}

// capitalised is a heading's first letter in capitals.
func capitalised(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
