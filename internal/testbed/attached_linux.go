package testbed

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"weir/internal/processes"
)

// How long a command has that is interrupted: for ending by itself, as a terminal
// interrupts it together with weir, also on a machine that is busy for seconds, and then for
// ending when weir tells it to.
const (
	endsByItself = 3 * time.Second
	endsWhenTold = 10 * time.Second
)

// Attached runs a command on the given streams to its end, wherever the
// calling thread is. When the context ends the command is interrupted, and has
// the time to say what it knows by then.
func Attached(ctx context.Context, in io.Reader, out, errs io.Writer, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	cmd.Cancel = func() error {
		time.Sleep(endsByItself) // a second interrupt would cut off what it says
		return cmd.Process.Signal(os.Interrupt)
	}
	cmd.WaitDelay = endsWhenTold
	return processes.Run(cmd)
}
