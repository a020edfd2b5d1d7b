package shell

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Glance is a host that is read again and again, each time as it is at one moment: what
// was asked for since the last moment began is read all at once, in one turn, when the
// next one begins. So who reads need not know that the host is far. It is for what only
// reads, and for one goroutine.
type Glance struct {
	*Host
	By      Looker // reads all at once; nil: the host's shell
	asked   wish   // in this moment: the next one begins with it
	begun   bool
	at      time.Time
	files   map[string]text
	outputs map[string]string // of commands that did not fail
}

// wish are files, and commands by what is between their words.
type wish struct{ files, commands []string }

// text is what is in a file. One that is empty counts as not there.
type text struct {
	there bool
	is    string
}

// between is between the words of a command, none of which has an octet of zeros in it.
const between = "\x00"

// NewGlance reads at a host.
func NewGlance(h *Host) *Glance { return &Glance{Host: h} }

// Over ends the moment: what is read from now on is as it will be then.
func (g *Glance) Over() { g.begun = false }

// At is when the moment began that is not over, or the last one.
func (g *Glance) At() time.Time { return g.at }

// begin begins a moment.
func (g *Glance) begin(ctx context.Context) error {
	if g.begun {
		return nil
	}
	texts, outputs, err := g.look(ctx)
	if err != nil {
		return err
	}
	g.at, g.begun, g.outputs, g.files = time.Now(), true, outputs, map[string]text{}
	g.keep(g.asked.files, texts)
	g.asked = wish{}
	return nil
}

// keep remembers files that were read.
func (g *Glance) keep(paths []string, texts map[string]string) {
	for _, p := range paths {
		is, there := texts[p]
		g.files[p] = text{there, is}
	}
}

// ask notes that something was asked for.
func ask(list *[]string, what ...string) {
	for _, w := range what {
		if !slices.Contains(*list, w) {
			*list = append(*list, w)
		}
	}
}

// ReadFiles is that of the host.
func (g *Glance) ReadFiles(ctx context.Context, paths []string) (map[string]string, error) {
	if err := g.begin(ctx); err != nil {
		return nil, err
	}
	ask(&g.asked.files, paths...)
	more := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { _, read := g.files[p]; return read })
	if len(more) > 0 {
		texts, err := g.Host.ReadFiles(ctx, more)
		if err != nil {
			return nil, err
		}
		g.keep(more, texts)
	}
	out := make(map[string]string, len(paths))
	for _, p := range paths {
		if f := g.files[p]; f.there {
			out[p] = f.is
		}
	}
	return out, nil
}

// ReadFile is that of the host, for files of text.
func (g *Glance) ReadFile(ctx context.Context, path string) (string, error) {
	texts, err := g.ReadFiles(ctx, []string{path})
	if err != nil {
		return "", err
	}
	if is, there := texts[path]; there {
		return is, nil
	}
	return "", fmt.Errorf("%s: read %s: %w", g.name, path, fs.ErrNotExist)
}

// Run is that of the host, for commands that change nothing. One that has failed is run
// again, for what it says.
func (g *Glance) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	command := strings.Join(argv, between)
	if stdin != "" || strings.Count(command, between) != len(argv)-1 {
		return g.Host.Run(ctx, stdin, argv...)
	}
	if err := g.begin(ctx); err != nil {
		return "", err
	}
	ask(&g.asked.commands, command)
	if said, ran := g.outputs[command]; ran {
		return said, nil
	}
	said, err := g.Host.Run(ctx, "", argv...)
	if err == nil {
		g.outputs[command] = said
	}
	return said, err
}

// look reads what was asked for in the moment before.
func (g *Glance) look(ctx context.Context) (texts, outputs map[string]string, err error) {
	outputs = make(map[string]string)
	if len(g.asked.files)+len(g.asked.commands) == 0 {
		return nil, outputs, nil
	}
	var commands [][]string
	for _, c := range g.asked.commands {
		commands = append(commands, strings.Split(c, between))
	}
	var by Looker = g.Host
	if g.By != nil {
		by = g.By
	}
	texts, said, err := by.Look(ctx, g.asked.files, commands)
	for i, text := range said {
		outputs[g.asked.commands[i]] = text
	}
	return texts, outputs, err
}
