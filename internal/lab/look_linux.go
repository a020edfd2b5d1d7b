package lab

import (
	"context"
	"fmt"
	"os"
	"time"

	"weir/internal/audit"
	"weir/internal/plan"
	"weir/internal/testbed"
)

// LookAround finds in a time what else works on this machine before a plan is measured
// there; nothing where it is simulated, or cannot be without
// root. Another weir that measures here is an error: the two would measure each
// other.
func LookAround(ctx context.Context, p plan.Plan, within time.Duration) ([]audit.Finding, error) {
	if p.Testbed.Kind == plan.Sim || os.Geteuid() != 0 {
		return nil, nil
	}
	labs, err := testbed.Labs()
	if err != nil {
		return nil, err
	}
	if err := nobodyElse(labs); err != nil {
		return nil, err
	}
	name, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	r, err := audit.Look(ctx, audit.Config{Host: testbed.Machine(name, nil), Watch: within, Self: os.Getpid(), Only: []string{"load", "steal"}})
	if err != nil {
		return nil, fmt.Errorf("look at the machine before the start: %w", err)
	}
	return r.Findings, nil
}

// nobodyElse is an error where another process than this one measures in a lab. Labs that
// are kept are there for who comes next.
func nobodyElse(labs []testbed.Entry) error {
	for _, l := range labs {
		if !l.Running || l.Kept || l.Own {
			continue
		}
		of := ""
		if l.Campaign != "" {
			of = ", campaign " + l.Campaign
		}
		return fmt.Errorf("another weir measures here: process %d, since %s%s; wait until it has ended, or end it (kill %d)",
			l.PID, l.Made.Format(time.TimeOnly), of, l.PID)
	}
	return nil
}
