package testbed

import (
	"context"
	"io"
	"os/exec"
)

// Attached runs a command on the given streams to its end, wherever the
// calling thread is.
func Attached(ctx context.Context, in io.Reader, out, errs io.Writer, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	return cmd.Run()
}
