package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"weir"
	"weir/internal/outfile"
)

// manualVerb writes what packages install beside weir. People who build weir find its manual in
// their man(1), too, once they have called it.
func manualVerb(a *app) *cobra.Command {
	var docs string
	cmd := &cobra.Command{
		Use:   "manual FOLDER",
		Short: "Write weir's manual pages",
		Long: `Write weir's manual pages into man1, man5 and man7 below a folder: one for each
command, and with --docs weir-plan(5) and weir-methods(7), too. SOURCE_DATE_EPOCH in
the environment is their date, in seconds since 1970.

  weir manual ~/.local/share/man`,
		Hidden: true,
		Args:   takes(cobra.ExactArgs(1)),
		RunE:   func(cmd *cobra.Command, args []string) error { return writeManual(cmd.Root(), docs, args[0]) },
	}
	cmd.Flags().StringVar(&docs, "docs", "", "folder of weir's sources with plans.md and methods.md")
	return cmd
}

// articles are the manual pages that are made of a file of docs.
var articles = []struct {
	name, file, what string
	section          int
	more             func() []row // listed at its end
}{
	{"weir-plan", "plans.md", "what a campaign of weir measures, and how", 5, nil},
	{"weir-methods", "methods.md", "what weir measures, and what each figure is", 7, methodRows},
}

func writeManual(root *cobra.Command, docs, folder string) error {
	for _, section := range []string{"man1", "man5", "man7"} {
		if err := outfile.MakeFolder(filepath.Join(folder, section)); err != nil {
			return err
		}
	}
	indentExamples(root)
	date := time.Now()
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		date = time.Unix(seconds, 0)
	}
	date = date.UTC()
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "weir " + weir.Version, Manual: "weir"}
	if err := writeCommands(root, *header, folder); err != nil {
		return err
	}
	if docs == "" {
		return nil
	}
	for _, article := range articles {
		text, err := os.ReadFile(filepath.Join(docs, article.file))
		if err != nil {
			return fmt.Errorf("%w: --docs is the folder docs of weir's sources", err)
		}
		_, body, _ := strings.Cut(string(text), "\n") // its title
		page := fmt.Sprintf("%% %s %d \"%s\" \"weir %s\" \"weir\"\n\n# NAME\n\n%s - %s\n\n%s", strings.ToUpper(article.name), article.section,
			date.Format("Jan 2006"), weir.Version, article.name, article.what, withoutTables(withoutLinks(body)))
		if article.more != nil {
			page += "\n## All of them\n\n"
			for _, r := range article.more() {
				page += fmt.Sprintf("**%s**\n:  %s\n\n", r.Name, r.Summary)
			}
		}
		page += "\n# SEE ALSO\n\nweir(1), weir-run(1), weir-list(1); /usr/share/doc/weir\n"
		file := filepath.Join(folder, fmt.Sprintf("man%d", article.section), fmt.Sprintf("%s.%d", article.name, article.section))
		if err := outfile.Write(file, func(w io.Writer) error { _, err := w.Write(md2man.Render([]byte(page))); return err }); err != nil {
			return err
		}
	}
	return nil
}

// writeCommands writes the page of a command and of those below it.
func writeCommands(cmd *cobra.Command, header doc.GenManHeader, folder string) error {
	if !cmd.IsAvailableCommand() && cmd.HasParent() || cmd.IsAdditionalHelpTopicCommand() {
		return nil
	}
	for _, sub := range cmd.Commands() {
		if err := writeCommands(sub, header, folder); err != nil {
			return err
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	header.Title = strings.ToUpper(name)
	return outfile.Write(filepath.Join(folder, "man1", name+".1"), func(w io.Writer) error { return doc.GenMan(cmd, &header, w) })
}

// indentExamples has the indented lines of all long texts as Markdown takes examples: by four.
func indentExamples(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	lines := strings.SplitAfter(cmd.Long, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
		}
	}
	cmd.Long = strings.Join(lines, "")
	for _, sub := range cmd.Commands() {
		indentExamples(sub)
	}
}

// link is one of Markdown's: a manual page has none.
var link = regexp.MustCompile(`!?\[([^]\n]+)\]\(([^)\n]*)\)`)

// withoutLinks is Markdown with the texts of links alone; a link to another file of docs names
// that, too.
func withoutLinks(text string) string {
	return link.ReplaceAllStringFunc(text, func(whole string) string {
		parts := link.FindStringSubmatch(whole)
		file, _, _ := strings.Cut(parts[2], "#")
		if file == "" || file == parts[1] || strings.Contains(file, "://") {
			return parts[1]
		}
		return parts[1] + " (" + filepath.Base(file) + ")"
	})
}

// withoutTables is Markdown with a list in place of each table, as terminals are narrow: what is
// in the first column is explained by the second, and what is in others stands beside their titles.
func withoutTables(text string) string {
	var out strings.Builder
	var titles []string // of the table, from its second column on; nil: none
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			titles = nil
			out.WriteString(line)
			continue
		}
		cells := cellsOf(line)
		switch {
		case titles == nil:
			titles = cells[1:]
		case strings.Trim(line, "|- :\n") == "":
		default:
			explained := []string{}
			for i, cell := range cells[1:] {
				if cell != "" && cell != "-" && i > 0 && i < len(titles) {
					cell = titles[i] + ": " + cell
				}
				if cell != "" && cell != "-" {
					explained = append(explained, strings.TrimSuffix(cell, "."))
				}
			}
			fmt.Fprintf(&out, "%s\n:  %s\n\n", cells[0], strings.Join(explained, ". "))
		}
	}
	return out.String()
}

// cellsOf are the cells of a line of a table. A bar within one is written as \|.
func cellsOf(line string) (cells []string) {
	const bar = "\x00"
	for _, cell := range strings.Split(strings.Trim(strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar), "|"), "|") {
		cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"))
	}
	return cells
}
