package shell

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"weir/internal/settings"
)

// Looker reads files of text and runs commands that change nothing, all at once, as they
// are at one moment. What is not there, empty, or no text is left out, and so are commands
// that have failed. What they said is by their numbers.
type Looker interface {
	Look(ctx context.Context, files []string, commands [][]string) (texts map[string]string, outputs map[int]string, err error)
}

// Look reads files and runs commands in one turn, as a Looker.
func (h *Host) Look(ctx context.Context, files []string, commands [][]string) (texts map[string]string, outputs map[int]string, err error) {
	var b strings.Builder
	mark := "weir-look-" + rand.Text()
	step := func(line string) { fmt.Fprintf(&b, "%s; printf '\\n%%s %%d\\n' %s $?\n", line, mark) }
	step(readLine(files))
	for _, argv := range commands {
		var words []string
		for _, word := range argv {
			words = append(words, settings.Quoted(word))
		}
		step(strings.Join(words, " ") + " </dev/null 2>/dev/null")
	}
	s, err := h.quick(ctx, strings.TrimSuffix(b.String(), "\n"))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: read %d files and run %d commands: %w", h.name, len(files), len(commands), err)
	}
	parts := strings.Split(s.out, "\n"+mark+" ")
	if len(parts) != len(commands)+2 {
		return nil, nil, fmt.Errorf("%s: of %d answers to one question came %d", h.name, len(commands)+1, len(parts)-1)
	}
	outputs = make(map[int]string)
	for i := range commands {
		_, said, _ := strings.Cut(parts[i+1], "\n") // after the status of the one before
		if status, _, _ := strings.Cut(parts[i+2], "\n"); status == "0" {
			outputs[i] = said
		}
	}
	return byFile(parts[0], files), outputs, nil
}

// readLine is a line that reads files of text.
func readLine(paths []string) string {
	var b strings.Builder
	b.WriteString("grep '' /dev/null")
	for _, p := range paths {
		b.WriteString(" " + settings.Quoted(p))
	}
	b.WriteString(" 2>/dev/null")
	return b.String()
}
