package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"weir"
)

// Command is a command of a host as data.
type Command struct {
	Argv  []string      `json:"argv"`
	Stdin string        `json:"stdin,omitempty"`
	Limit time.Duration `json:"limit,omitempty"` // in nanoseconds, after which it is killed with all that it has started; 0: none
	If    []string      `json:"if,omitempty"`    // a command that fails where there is nothing to do any more, as what it is about is gone; none: there always is
}

func command(argv ...string) Command { return Command{Argv: argv} }

func (c Command) run(ctx context.Context, h weir.Host) error {
	if c.Limit > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, c.Limit,
			fmt.Errorf("it had not ended after %v and was killed: it has to end by itself, start in the background what goes on", c.Limit))
		defer cancel()
		ctx = limited
	}
	if len(c.If) > 0 {
		var lost *weir.LostError
		switch _, err := h.Run(ctx, "", c.If...); {
		case errors.As(err, &lost):
			return err // it has said nothing
		case err != nil && ctx.Err() == nil:
			return nil
		}
	}
	_, err := h.Run(ctx, c.Stdin, c.Argv...)
	return err
}

// String is the command as a line for a shell.
func (c Command) String() string {
	var words []string
	for _, w := range c.Argv {
		words = append(words, word(w))
	}
	line := strings.Join(words, " ")
	if c.Stdin != "" {
		line += " <<'END'\n" + strings.TrimSuffix(c.Stdin, "\n") + "\nEND"
	}
	return line
}

// word quotes a word for the shell where it has to be.
func word(w string) string {
	if strings.ContainsAny(w, " '\"$`;&|<>()*?") || w == "" {
		return Quoted(w)
	}
	return w
}

// Quoted is a word for the shell. The name of a device may hold anything but
// spaces and slashes.
func Quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
