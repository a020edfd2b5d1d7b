package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/dut"
	"weir/internal/settings"
	"weir/internal/shell"
)

// How long a DUT may take to start anew, and then until frames get through.
const (
	restartLimit = 15 * time.Minute // a large router takes ten, an emulated machine on busy CPUs six
	restartLook  = time.Second
)

// reboot has the DUT's system start it anew, and forward as it did.
func (r *reached) reboot(ctx context.Context) error {
	if err := r.canReboot(); err != nil {
		return err
	}
	platform, ok := r.platform.(dut.Rebooter)
	if !ok {
		return &weir.UnsupportedError{Feature: "a reboot on the platform " + r.name, Remedy: "reset it by a command of yours (dut: {reset_hook: [...]})"}
	}
	_, err := r.host.Run(ctx, "", platform.Reboot()...)
	if lost := (*weir.LostError)(nil); err != nil && !errors.As(err, &lost) { // the connection ends with the system
		return err
	}
	return r.comesBack(ctx)
}

// canReboot says why the DUT's system must not start it anew.
func (r *reached) canReboot() error {
	if r.here {
		return fmt.Errorf("%s has the kernel of this machine, which a reboot would end, and weir with it: name another host, or leave the reboot out", r.host.Name())
	}
	return nil
}

// comesBack waits until the DUT has started anew, and has it forward as it did.
func (r *reached) comesBack(ctx context.Context) error {
	limited, cancel := context.WithTimeoutCause(ctx, restartLimit, fmt.Errorf("%s has not started anew within %v", r.host.Name(), restartLimit))
	defer cancel()
	if err := r.startsAnew(limited); err != nil {
		return err
	}
	return r.again(ctx)
}

// startsAnew waits until the DUT has started anew. Where it cannot say that it has, a
// connection that was lost counts.
func (r *reached) startsAnew(ctx context.Context) error {
	for {
		boot, err := settings.BootOf(ctx, r.host)
		if err == nil && (settings.StartedAnew(r.boot, boot) || boot == "" && r.host.Opened() != r.opened) {
			return nil
		}
		if final := (*shell.FinalError)(nil); errors.As(err, &final) || r.machine.why() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(restartLook):
		}
	}
}

// follow watches, after something was done to the DUT, whether it starts anew, until ctx
// ends, and has it forward then as it did.
func (r *reached) follow(ctx context.Context) error {
	err := r.startsAnew(ctx)
	if ctx.Err() != nil {
		return nil // it does not, or not yet
	}
	if err != nil {
		return err
	}
	return r.again(ctx)
}

// caughtUp has a DUT that has started anew forward as it did, if it has not been told yet.
func (r *reached) caughtUp(ctx context.Context) error {
	boot, err := settings.BootOf(ctx, r.host)
	if err != nil || !settings.StartedAnew(r.boot, boot) {
		return err
	}
	return r.again(ctx)
}

// again has a DUT that has started anew forward, and sets its levels.
func (r *reached) again(ctx context.Context) error {
	boot, err := settings.BootOf(ctx, r.host)
	if err != nil {
		return err
	}
	opened := r.host.Opened()
	if err := r.forget(ctx); err != nil {
		return err
	}
	if r.machine != nil {
		if _, err := r.machine.plug(ctx, r.host); err != nil {
			return err
		}
	}
	if err := r.forward(ctx); err != nil {
		return err
	}
	if r.set != nil {
		if err := r.setTo(ctx, *r.set); err != nil {
			return err
		}
	}
	r.boot, r.opened = boot, opened // now it is that one: until here it has still to be told
	return nil
}

// forget forgets what was set before the DUT started anew, which undid it, and undoes what
// a user's commands did, which it may not have. The journal knows which is which; that of a
// machine which ends with this process, and its disk with it, is none.
func (r *reached) forget(ctx context.Context) error {
	r.setup = r.setup.Under(nil)
	r.setup.Filters = 0
	if r.machine != nil {
		r.levels, r.undo = settings.Undo{}, settings.Undo{}
		return nil
	}
	return errors.Join(r.levels.Run(ctx), r.undo.Run(ctx))
}

// plain takes the condition back.
func (r *reached) plain(ctx context.Context) error {
	r.glance.Over()
	r.set = nil
	if r.isGone(ctx) {
		return r.forget(ctx)
	}
	return r.levels.Run(ctx)
}

// end takes all back that the DUT was told.
func (r *reached) end() error {
	ctx := context.Background()
	if r.isGone(ctx) {
		return r.forget(ctx)
	}
	return r.undo.Run(ctx)
}

// isGone reports whether what a machine that QEMU runs was told has gone with it, or with
// its last start.
func (r *reached) isGone(ctx context.Context) bool {
	if r.machine == nil {
		return false
	}
	if r.machine.why() != nil {
		return true
	}
	boot, err := settings.BootOf(ctx, r.host)
	return r.machine.why() != nil || err == nil && settings.StartedAnew(r.boot, boot)
}
