package dut

import (
	"context"
	"errors"
	"fmt"

	"weir"
	"weir/internal/settings"
)

// Filter is a stateless firewall of the program that a plan gets which names none.
func (p bsd) Filter(ctx context.Context, d weir.DUT, s Setup, rules int, anywhere bool) (func(context.Context) error, error) {
	firewall, err := filters(rules)
	if err != nil {
		return nil, err
	}
	program, err := p.firewalls.of(firewall)
	if err != nil {
		return nil, err
	}
	undo := settings.Undo{Journal: s.Journal}
	if err := program.set(ctx, d, newRuleset(d, s, firewall, anywhere), &undo); err != nil {
		return nil, errors.Join(fmt.Errorf("filter with %s: %w", program.name, err), undo.Run(context.WithoutCancel(ctx)))
	}
	return undo.Run, nil
}

// cannotFilter says why a condition's filters cannot be set. Both they and a firewall would
// take the place that a program has for rules of weir's.
func (p bsd) cannotFilter(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) error {
	switch {
	case c.Filters() == 0:
		return nil
	case c.Firewall().Kind != "":
		return &weir.UnsupportedError{Feature: "filters beside a firewall on " + p.name, Remedy: "give the firewall the rules: {kind: stateless, rules: 25}"}
	}
	firewall, err := filters(c.Filters())
	if err == nil {
		c.Put(firewall)
		err = p.firewalls.can(ctx, d, s, c)
	}
	if err != nil {
		return fmt.Errorf("%d filters: %w", c.Filters(), err)
	}
	return nil
}
