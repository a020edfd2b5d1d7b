package agent

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"weir/internal/processes"
)

// Looker is an agent that reads files of text at a host and runs commands that change
// nothing there, all at once. It says what a shell there says, to the octet.
type Looker struct{ *Agent }

// StartLooker starts one.
func StartLooker(ctx context.Context, at Place) (Looker, error) {
	a, err := startRole(ctx, at, "look", nil)
	return Looker{a}, err
}

// Look reads files and runs commands. What is not there, empty, or no text is left out, and
// so are commands that have failed. What they said is by their numbers.
func (l Looker) Look(ctx context.Context, files []string, commands [][]string) (texts map[string]string, outputs map[int]string, err error) {
	var s seen
	if err := l.Ask(ctx, "look", wanted{files, commands}, &s); err != nil {
		return nil, nil, err
	}
	return plain(s.Texts), plain(s.Outputs), nil
}

func plain[K comparable](all map[K][]byte) map[K]string {
	out := make(map[K]string, len(all))
	for k, text := range all {
		out[k] = string(text)
	}
	return out
}

// wanted is what is to be looked at.
type wanted struct {
	Files    []string   `json:"files,omitempty"`
	Commands [][]string `json:"commands,omitempty"`
}

// seen is what was there. No octet of it has to be one of UTF-8, as those of a string of
// JSON have.
type seen struct {
	Texts   map[string][]byte `json:"texts,omitempty"`
	Outputs map[int][]byte    `json:"outputs,omitempty"`
}

// Bounds of a look.
const (
	lookLimit = 30 * time.Second // for all commands together
	leftLimit = time.Second      // for what a command has left behind and still has its output open
	mostSeen  = 64 << 20         // octets
)

// openLook is the role "look".
func openLook(context.Context, struct{}) (Opened, error) {
	return Opened{Commands: map[string]Command{"look": Do(look)}}, nil
}

// look has all commands run at once: so they take little longer than one of them, and tell
// of one moment.
func look(ctx context.Context, w wanted) (seen, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lookLimit, fmt.Errorf("the %d commands took longer than %v", len(w.Commands), lookLimit))
	defer cancel()
	s := seen{Texts: make(map[string][]byte), Outputs: make(map[int][]byte)}
	all := 0
	for _, path := range w.Files {
		if text := textOf(path); len(text) > 0 {
			s.Texts[path], all = text, all+len(text)
		}
	}
	var running sync.WaitGroup
	outputs := make([][]byte, len(w.Commands)) // nil: it has failed
	for i, argv := range w.Commands {
		running.Go(func() { outputs[i] = outputOf(ctx, argv) })
	}
	running.Wait()
	for i, said := range outputs {
		if said != nil {
			s.Outputs[i], all = said, all+len(said)
		}
	}
	if all > mostSeen {
		return s, fmt.Errorf("there are more than %d MiB to be read", mostSeen>>20)
	}
	return s, context.Cause(ctx)
}

// outputOf is what a command says; nil: it has failed, or says too much.
func outputOf(ctx context.Context, argv []string) []byte {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = leftLimit
	said := &bounded{text: []byte{}}
	cmd.Stdout = said
	if processes.Run(cmd) != nil {
		return nil
	}
	return said.text
}

// bounded takes as much as may be seen.
type bounded struct{ text []byte }

func (b *bounded) Write(more []byte) (int, error) {
	if len(b.text)+len(more) > mostSeen {
		return 0, io.ErrShortWrite
	}
	b.text = append(b.text, more...)
	return len(more), nil
}

// textOf is what is in a file of text, line by line, as grep(1) has it: the last line, too,
// has an end. A file that has an octet of zeros is none of text.
func textOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostSeen+1)) // what came before a fault counts
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}
