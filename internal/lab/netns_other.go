//go:build !linux

package lab

import (
	"context"
	"time"

	"weir"
	"weir/internal/audit"
	"weir/internal/campaign"
	"weir/internal/plan"
)

// NeedRoot says that network namespaces and live frames are Linux's.
func NeedRoot() error {
	return &weir.UnsupportedError{Feature: "a testbed that is not simulated, which needs Linux,", Remedy: "--testbed sim works everywhere"}
}

func openNetNS(context.Context, plan.Plan) (campaign.Lab, func() error, error) {
	return campaign.Lab{}, nil, NeedRoot()
}

func openPorts(context.Context, plan.Plan) (campaign.Lab, func() error, error) {
	return campaign.Lab{}, nil, NeedRoot()
}

func openVM(context.Context, plan.Plan) (campaign.Lab, func() error, error) {
	return campaign.Lab{}, nil, NeedRoot()
}

// ReachHosts is told by openPorts.
func ReachHosts(context.Context, plan.Plan) error { return nil }

// machineLacks is told by openVM.
func machineLacks(p plan.Plan) error { return portsLacks(p) }

// LookAround has nothing to say of a machine without a lab.
func LookAround(context.Context, plan.Plan, time.Duration) ([]audit.Finding, error) { return nil, nil }

// toolsLacking is told by openPorts.
func toolsLacking(plan.Plan) []error { return nil }

// netnsLacks is told by openNetNS.
func netnsLacks(plan.Plan) error { return nil }

// netnsEvents are those of a lab on Linux: a plan can be checked anywhere.
func netnsEvents(plan.Plan) []string {
	return []string{"reset interface", "reset forwarding", "announce", "withdraw", "reset daemon", "reset hook"}
}
