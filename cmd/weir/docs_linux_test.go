package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// pagesOfDocs are the pages that users read, by their paths from the root of the repository.
func pagesOfDocs(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "examples/*.yaml", "examples/*/README.md"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out[strings.TrimPrefix(file, "../../")] = string(text)
		}
	}
	if len(out) < 40 {
		t.Fatalf("there are %d pages", len(out))
	}
	return out
}

var (
	inline     = regexp.MustCompile("`([^`\n]+)`")
	ofWeir     = regexp.MustCompile(`^(?:sudo (?:-\w+ )*)?(?:exec )?(?:\./|bin/)?weir( .*|$)`)
	endOfShell = regexp.MustCompile(`\s(#|\||&&|\|\||;|>|>>|2>|<)(\s|$)|;|>>?["/$\w]`)
	example    = regexp.MustCompile(`^examples/[\w./-]+$`)
)

// commandsOf returns the calls of weir on a page: lines of its code, and code within a line.
func commandsOf(text string) (out []string) {
	add := func(line string) {
		if at := ofWeir.FindStringSubmatch(strings.TrimSpace(line)); at != nil && !strings.Contains(at[1], "NAME.yaml") {
			call := at[1]
			if end := endOfShell.FindStringIndex(call); end != nil {
				call = call[:end[0]]
			}
			out = append(out, call)
		}
	}
	prose, code := split(text)
	for line := range strings.Lines(strings.ReplaceAll(code, "\\\n", " ")) {
		add(line)
	}
	for _, code := range inline.FindAllStringSubmatch(prose, -1) {
		add(code[1])
	}
	return out
}

// split returns the prose of a page and the code for a shell, or for nothing in particular.
func split(text string) (prose, code string) {
	var outside, shell strings.Builder
	language, fenced := "", false
	for line := range strings.Lines(text) {
		if after, is := strings.CutPrefix(strings.TrimSpace(line), "```"); is {
			language, fenced = after, !fenced
			continue
		}
		switch {
		case !fenced:
			outside.WriteString(line)
		case language == "" || language == "sh":
			shell.WriteString(line)
		}
	}
	return outside.String(), shell.String()
}

// checkCall returns what is wrong with a call of weir: a command or an option that there is not, or
// an example that is not there.
func checkCall(call string) error {
	args := strings.Fields(strings.NewReplacer("[", " ", "]", " ", "...", " ", `"`, " ", "'", " ").Replace(call))
	root := (&app{out: io.Discard, err: io.Discard}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	at := 0
	cmd := root
	for ; at < len(args); at++ { // names of verbs may be given as a choice: up|shell|down
		names := strings.Split(args[at], "|")
		next := child(cmd, names[0])
		if next == nil {
			break
		}
		for _, name := range names[1:] {
			if child(cmd, name) == nil {
				return fmt.Errorf("%s has no command %s", cmd.CommandPath(), name)
			}
		}
		cmd = next
	}
	if cmd == root && at < len(args) && regexp.MustCompile(`^[a-z-]+,?$`).MatchString(args[at]) {
		return fmt.Errorf("there is no command %s", args[at])
	}
	cmd.InitDefaultHelpFlag()
	for _, arg := range args[at:] {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimRight(arg, ",.:)"), "=")
		switch {
		case strings.HasPrefix(name, "--") && cmd.Flag(name[2:]) == nil && cmd.InheritedFlags().Lookup(name[2:]) == nil:
			return fmt.Errorf("%s has no option %s", cmd.CommandPath(), name)
		case len(name) == 2 && name[0] == '-' && name[1] >= 'a' && name[1] <= 'z' && cmd.Flags().ShorthandLookup(name[1:]) == nil && cmd.InheritedFlags().ShorthandLookup(name[1:]) == nil:
			return fmt.Errorf("%s has no option %s", cmd.CommandPath(), name)
		case example.MatchString(name):
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func child(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}

// What the docs have users type is there: commands, options, examples.
func TestDocsCommands(t *testing.T) {
	n := 0
	for page, text := range pagesOfDocs(t) {
		for _, call := range commandsOf(text) {
			n++
			if err := checkCall(call); err != nil {
				t.Errorf("%s: weir%s: %v", page, call, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d calls were found", n)
	}
	for _, wrong := range []string{" bensh", " bench --fast", " run examples/none.yaml", " lab up|sideways", " run -z"} {
		if err := checkCall(wrong); err == nil {
			t.Errorf("weir%s is called right", wrong)
		}
	}
}

var (
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noAngle  = regexp.MustCompile("[^a-z0-9 _-]")
)

// anchorsOf returns the anchors that the headings of a page have.
func anchorsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, h := range headings.FindAllStringSubmatch(text, -1) {
		out[strings.ReplaceAll(noAngle.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return out
}

// Links between pages lead somewhere.
func TestDocsLinks(t *testing.T) {
	n := 0
	for page, text := range pagesOfDocs(t) {
		if filepath.Ext(page) != ".md" {
			continue
		}
		prose, _ := split(text)
		for _, at := range linked.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(at[1], "://") {
				continue
			}
			n++
			file, anchor, _ := strings.Cut(at[1], "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if anchor == "" {
				continue
			}
			target, err := os.ReadFile(filepath.Join("../..", to))
			if err != nil {
				t.Fatal(err)
			}
			if !anchorsOf(string(target))[anchor] {
				t.Errorf("%s leads to %s, where there is no heading %q", page, to, anchor)
			}
		}
	}
	if n < 80 {
		t.Errorf("%d links were found", n)
	}
}
