package dut

import (
	"context"
	"fmt"
	"time"

	"weir"
	"weir/internal/settings"
)

func checkCommand(ctx context.Context, at target, t weir.Tuning) error {
	for _, line := range []string{t.Value, t.Undo} {
		if _, err := at.Host.Run(ctx, "", "sh", "-n", "-c", line); err != nil {
			return fmt.Errorf("%q is no command line: %w", line, err)
		}
	}
	return nil
}

// commandLimit is how long a user's command may take: a box that starts anew with other
// firmware takes minutes, and nobody knows what one waits for that does not end.
const commandLimit = 15 * time.Minute

// bounded is a user's command for the DUT. The command finds the names of the DUT's
// ports in its environment, WEIR_PORT0, WEIR_PORT1 and so on, and that of its level,
// WEIR_ARM.
func bounded(d weir.DUT, t weir.Tuning, line string) settings.Command {
	return settings.Command{Argv: append(environment(d, t), "sh", "-c", line), Limit: commandLimit}
}

// environment is the beginning of a command line that tells what follows the ports,
// and the name of its level.
func environment(d weir.DUT, t weir.Tuning) []string {
	out := []string{"env"}
	if t.Arm != "" {
		out = append(out, "WEIR_ARM="+t.Arm)
	}
	for i, p := range d.Ports {
		out = append(out, fmt.Sprintf("WEIR_PORT%d=%s", i, p.DUT))
	}
	return out
}

// setCommand runs the user's command at the DUT. One that fails may have done
// a part of its work, so it is undone in any case.
func setCommand(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	return undo.Try(ctx, at.Host, bounded(at.DUT, t, t.Value), bounded(at.DUT, t, t.Undo))
}
