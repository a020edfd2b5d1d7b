package settings

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"weir"
)

// Command is a command of a host as data.
type Command struct {
	Argv  []string      `json:"argv"`
	Stdin string        `json:"stdin,omitempty"`
	Hand  string        `json:"hand,omitempty"`  // what a person types in its place; "": the same
	Limit time.Duration `json:"limit,omitempty"` // in nanoseconds, of a user's command, after which it is killed with all that it has started; 0: it is weir's own, and has weir's limit
	If    Present       `json:"if,omitempty"`    // what it is about: where that is gone there is nothing to do any more; none: there always is
	// Native is what weir does itself in place of Argv, which is then how a person does it.
	Native *Native `json:"native,omitempty"`

	do func() error // what is done in place of Argv; only in what is not remembered
}

// Func is a function in place of a command that changes something.
func Func(do func() error) Command { return Command{do: do} }

// Native is what a host of weir's own does without a program, as it asks the kernel about
// things by more than their names, which others may change meanwhile.
type Native struct {
	Do     string   `json:"do"`               // in the table of the host
	First  string   `json:"first,omitempty"`  // likewise, what is done before anything else is undone; a failure of it is one of Do
	Name   string   `json:"name"`             // of the network interface or the network namespace
	Mark   string   `json:"mark,omitempty"`   // another name of the interface, which it has whatever it is called
	In     string   `json:"in,omitempty"`     // the network namespace that it is in meanwhile, by its name as a host
	Spaces []string `json:"spaces,omitempty"` // network namespaces likewise, with nothing in them but what weir made
	Own    string   `json:"own,omitempty"`    // begins the names of the interfaces that weir made
	// Last: it takes the interface away from where its settings were changed, and waits while one of
	// these cannot be set back.
	Last bool `json:"last,omitempty"`
}

// NativeHost is a host that does Native. The error is ErrGone where, by the kernel's answer,
// there is nothing to do any more.
type NativeHost interface {
	Native(ctx context.Context, n Native) error
}

func command(argv ...string) Command { return Command{Argv: argv} }

// run runs the command. It is ErrGone where what it is about is gone.
func (c Command) run(ctx context.Context, h weir.Host) error {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	if err := c.If.ask(ctx, h); err != nil {
		return err
	}
	if c.do != nil {
		return c.do()
	}
	if native, can := h.(NativeHost); can && c.Native != nil {
		return native.Native(ctx, *c.Native)
	}
	_, err := h.Run(ctx, c.Stdin, c.Argv...)
	return err
}

// How long a command of weir's own may take, and then each line that it reads, of which a
// table of routes has a million: a connection that was cut is waited for two minutes,
// systemctl(1) waits for a service for 90 s, and some shells start a program for each line.
const (
	ownLimit  = 3 * time.Minute
	lineLimit = 10 * time.Millisecond
)

func (c Command) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Limit > 0 {
		return context.WithTimeoutCause(ctx, c.Limit, &HungError{c.Limit, "it has to end by itself, start in the background what goes on"})
	}
	return reading(ctx, c.Stdin)
}

// Limited gives a command of weir's own that reads such input its limit, where ctx has none.
func Limited(ctx context.Context, stdin string) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return reading(ctx, stdin)
}

func reading(ctx context.Context, stdin string) (context.Context, context.CancelFunc) {
	limit := ownLimit + time.Duration(strings.Count(stdin, "\n"))*lineLimit
	return context.WithTimeoutCause(ctx, limit,
		&HungError{limit, "look what keeps it there; what is still changed then is undone by: weir lab restore"})
}

// HungError is a command that had not ended within its limit, and was killed: nobody knows
// what it has done.
type HungError struct {
	Limit  time.Duration
	Remedy string
}

func (e *HungError) Error() string {
	return fmt.Sprintf("it had not ended after %v and was killed: %s", e.Limit, e.Remedy)
}

// unknown reports whether nobody knows what a command has done that failed so.
func unknown(err error) bool {
	var lost *weir.LostError
	var hung *HungError
	return errors.As(err, &lost) || errors.As(err, &hung)
}

// String is the command as a line for a shell.
func (c Command) String() string {
	if c.Hand != "" {
		return c.Hand
	}
	line := Line(c.Argv...)
	if c.Stdin != "" {
		line += " <<'END'\n" + strings.TrimSuffix(c.Stdin, "\n") + "\nEND"
	}
	return line
}

// plain are words that mean nothing else to a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

// Word quotes a word for the shell where it has to be.
func Word(w string) string {
	if plain.MatchString(w) {
		return w
	}
	return Quoted(w)
}

// Line is a command for the shell.
func Line(words ...string) string {
	line := make([]string, len(words))
	for i, w := range words {
		line[i] = Word(w)
	}
	return strings.Join(line, " ")
}

// Quoted is a word for the shell. The name of a device may hold anything but
// spaces and slashes.
func Quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
