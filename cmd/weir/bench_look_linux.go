package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"weir"
	"weir/internal/audit"
	"weir/internal/plan"
	"weir/internal/testbed"
)

// glance is for how long weir bench looks at the machine before it begins.
const glance = time.Second

// lookAround says what else works on this machine before a plan is measured in
// its network namespaces. Another weir that measures here is an error: the two
// would measure each other.
func (a *app) lookAround(ctx context.Context, p plan.Plan) ([]weir.Setting, error) {
	if p.Testbed.Kind != plan.NetNS || os.Geteuid() != 0 {
		return nil, nil
	}
	labs, err := testbed.Labs()
	if err != nil {
		return nil, err
	}
	for _, l := range labs {
		if l.Running && !l.Kept && l.PID != os.Getpid() {
			return nil, fmt.Errorf("another weir measures here: process %d, since %s%s; wait until it has ended, or end it (kill %d)",
				l.PID, l.Made.Format(time.TimeOnly), ofCampaign(l.Campaign), l.PID)
		}
	}
	place, err := auditPlace(auditFlags{})
	if err != nil {
		return nil, err
	}
	defer place.leave()
	r, err := audit.Look(ctx, audit.Config{Host: place.host, Role: place.role, Watch: glance, Self: os.Getpid(), Only: []string{"load", "steal"}})
	if err != nil {
		return nil, fmt.Errorf("look at the machine before the start: %w", err)
	}
	var seen []weir.Setting
	for _, f := range r.Findings {
		fmt.Fprintf(a.err, "%s before the start: %s; %s\n", f.What, f.Found, f.Advice)
		seen = append(seen, weir.Setting{Where: "host", Name: f.What + " before the start", Value: f.Found})
	}
	return seen, nil
}

func ofCampaign(id string) string {
	if id == "" {
		return ""
	}
	return ", campaign " + id
}
