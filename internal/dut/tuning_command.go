package dut

import (
	"context"
	"fmt"

	"weir"
)

func checkCommand(ctx context.Context, at target, t weir.Tuning) error {
	for _, line := range []string{t.Value, t.Undo} {
		if _, err := at.Host.Run(ctx, "", "sh", "-n", "-c", line); err != nil {
			return fmt.Errorf("%q is no command line: %w", line, err)
		}
	}
	return nil
}

// setCommand runs the user's command at the DUT. One that fails may have done
// a part of its work, so it is undone in any case.
func setCommand(ctx context.Context, at target, t weir.Tuning, undo *undoList) error {
	undo.add(func(ctx context.Context) error {
		_, err := at.Host.Run(ctx, "", "sh", "-c", t.Undo)
		return err
	})
	_, err := at.Host.Run(ctx, "", "sh", "-c", t.Value)
	return err
}
