package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/plan"
	"weir/internal/testbed"
)

// executor has what can be done to the DUT behind ports, from this process.
func (l *portsLab) executor() *executor {
	run := map[string]func(context.Context) error{
		hardwareReset: l.press, powerReset: l.cycle, softwareReset: l.reboot,
		hookReset: func(ctx context.Context) error {
			if err := l.hook(ctx); err != nil || l.dut == nil {
				return err
			}
			return l.dut.follow(ctx)
		},
	}
	x := &executor{do: func(f func() error) error { return f() }}
	for _, name := range portsEvents(l.plan) {
		if name == softwareReset && l.dut != nil && l.dut.canReboot() != nil {
			continue
		}
		e := event{name: name, run: run[name]}
		if name == hookReset {
			e.limit = hookLimit
		}
		x.events = append(x.events, e)
	}
	return x
}

// eventNames are those that a trial of test frames may have.
func (l *portsLab) eventNames() []string {
	if _, programs := senders(l.plan); programs {
		return nil
	}
	return l.executor().names()
}

// reboots reports whether the DUT's system is to start it anew between the runs of a plan.
func reboots(p plan.Plan) bool {
	return slices.ContainsFunc(p.Parts(), func(part plan.Plan) bool {
		return part.Experiment != nil && part.Experiment.Reset == weir.Reboot
	})
}

// press presses the machine's reset button, and has it forward as it did.
func (l *portsLab) press(ctx context.Context) error {
	if err := l.machine.running.Load().Reset(ctx); err != nil || l.dut == nil {
		return err
	}
	return l.dut.again(ctx)
}

// cycle takes the machine's power away for a while, and has it forward as it did.
func (l *portsLab) cycle(ctx context.Context) error {
	if err := l.machine.cycle(ctx); err != nil || l.dut == nil {
		return err
	}
	return l.dut.again(ctx)
}

// reboot has the DUT's system start it anew. A machine that has ended is started.
func (l *portsLab) reboot(ctx context.Context) error {
	if l.machine.why() != nil {
		return l.cycle(ctx)
	}
	return l.dut.reboot(ctx)
}

// hook runs the user's command that resets the DUT, at this machine.
func (l *portsLab) hook(ctx context.Context) error {
	here, err := testbed.Here()
	if err == nil {
		_, err = here.Run(ctx, "", l.plan.DUT.ResetHook...)
	}
	return err
}

// restart starts the DUT anew between runs, and waits until it forwards.
func (l *portsLab) restart(ctx context.Context, how weir.Reset) error {
	var err error
	switch {
	case how == weir.Reboot && l.dut == nil, l.machine == nil && how == weir.Power && len(l.plan.DUT.ResetHook) == 0:
		return fmt.Errorf("%s: weir cannot start it anew (%s): %w", l.name(), how, errEvent)
	case how == weir.Reboot:
		err = l.reboot(ctx)
	case l.machine != nil:
		err = l.cycle(ctx)
	default:
		limited, cancel := context.WithTimeoutCause(ctx, restartLimit, fmt.Errorf("%s has not ended within %v", l.plan.DUT.ResetHook[0], restartLimit))
		defer cancel()
		if err = l.hook(limited); err == nil && l.dut != nil {
			err = l.dut.comesBack(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("%s (%s): %w", l.name(), how, err)
	}
	return l.forwards(ctx)
}

// name is the DUT for people.
func (l *portsLab) name() string {
	switch {
	case l.dut != nil:
		return l.dut.host.Name()
	case l.machine != nil:
		return l.machine.name
	}
	return "the box behind " + strings.Join(l.plan.Testbed.Ports, ", ")
}

// forwards waits until frames get through a DUT that was reset.
func (l *portsLab) forwards(ctx context.Context) error {
	if err := l.through(ctx, restartLimit); err != nil {
		return fmt.Errorf("%s did not come back: it forwards nothing %v after it was reset: %w", l.name(), restartLimit, err)
	}
	return nil
}

// awaited waits after a trial in which something was done to the DUT until it forwards
// again, as it was set: what comes next is measured then.
func (l *portsLab) awaited(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if err != nil || trial.Event == nil {
			return r, err
		}
		if l.dut != nil {
			err = l.dut.caughtUp(ctx)
		}
		if err == nil {
			err = l.forwards(ctx)
		}
		if err != nil && r.Happened != nil && r.Happened.Error != "" {
			err = errors.Join(errors.New(r.Happened.Error), err)
		}
		return r, err
	}
}
