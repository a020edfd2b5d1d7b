package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weir"
	"weir/internal/dut"
)

// setLevels sets the firewall and the tunings of a condition.
func (l *netnsLab) setLevels(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	if c.Firewall.Kind == "" && len(c.Tunings) == 0 {
		return nil, nil
	}
	platform, err := l.applier()
	if err != nil {
		return nil, err
	}
	back, err := platform.Apply(ctx, l.bed.DUT(), l.surroundings(), c)
	if err != nil {
		return nil, err
	}
	l.setup.Firewall, l.setup.Queueing = c.Firewall, tuned(c, "qdisc")
	return func(ctx context.Context) error {
		l.setup.Firewall, l.setup.Queueing = weir.Firewall{}, false
		return back(ctx)
	}, nil
}

// cannot says what of a condition this lab cannot set its DUT to, all of it,
// and what to do. It changes nothing.
func (l *netnsLab) cannot(ctx context.Context, c weir.Condition) error {
	errs := []error{c.Conflict(), l.cannotPath(c)}
	if tuned(c, "cpus") && c.NAPI != "" && c.NAPI != weir.Threaded {
		errs = append(errs, fmt.Errorf("cpus: with NAPI %s the DUT has no threads to be bound to CPUs: leave one of the two out", c.NAPI))
	}
	if tuned(c, "rps") && c.NAPI == weir.Softirq {
		errs = append(errs, fmt.Errorf("rps: with NAPI %s frames may be steered to the DUT's CPUs already: leave one of the two out", c.NAPI))
	}
	if c.Firewall.Kind != "" || len(c.Tunings) > 0 {
		platform, err := l.applier()
		if err == nil {
			err = platform.Cannot(ctx, l.bed.DUT(), l.surroundings(), c)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (l *netnsLab) applier() (dut.Applier, error) {
	platform, ok := l.platform.(dut.Applier)
	if !ok {
		return nil, &weir.UnsupportedError{Feature: "firewalls and tunings on the platform " + l.plan.DUT.Platform, Remedy: "leave them out"}
	}
	return platform, nil
}

// tuned reports whether a condition has a tuning of this name.
func tuned(c weir.Condition, name string) bool {
	return slices.ContainsFunc(c.Tunings, func(t weir.Tuning) bool { return t.Name == name })
}

// surroundings are the setup with what the lab can do for tunings.
func (l *netnsLab) surroundings() dut.Setup {
	s := l.setup
	s.Tester, s.Shared, s.Spread = l.bed.TesterHost(), true, l.bed.Spread
	return s
}
