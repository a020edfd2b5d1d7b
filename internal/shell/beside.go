package shell

import (
	"context"
	"errors"
	"fmt"
	"io"

	"weir"
)

// Beside is a host whose commands do not wait for each other: each has a stream of its own.
// Files are read and written in turn, as no command keeps them waiting.
type Beside struct {
	*Host
	As string // what it is called
}

// Name is what it is called.
func (b Beside) Name() string { return b.As }

// Run runs a command. When ctx ends, it is killed with all that it has started.
func (b Beside) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	// What reads no input would not see that the connection has ended.
	p, err := b.Start(ctx, weir.Program{Argv: argv, Family: stdin == ""})
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = b.signal(ctx, killTree, p.PID) }) // it may have ended by itself
	defer stop()
	go func() {
		_, _ = io.WriteString(p.Stdin, stdin) // not every command reads it
		p.Stdin.Close()
	}()
	out, err := io.ReadAll(io.LimitReader(p.Stdout, mostOutput))
	if len(out) == mostOutput {
		err = fmt.Errorf("%s: %s says more than %d octets", b.name, argv[0], mostOutput)
		return "", errors.Join(err, p.Stdout.Close())
	}
	if ended := p.Wait(); ended != nil {
		err = ended
	}
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return string(out), err
}
