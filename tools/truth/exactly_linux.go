package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/testbed"
	"weir/internal/tester"
)

// exactly sends frames at a rate over a veth link from the tester to itself:
// every one that was intended is sent and comes back.
func exactly(rate float64) promise {
	const lasts = 10 * time.Second
	traffic := weir.Traffic{Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 1}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	trial := weir.Trial{Traffic: traffic, Intended: rate, Duration: lasts, Bypass: true, Waits: weir.Waits{Residual: time.Second}}
	return promise{
		group: "count",
		name:  fmt.Sprintf("count at %.0f frames/s over a veth for %v", rate, lasts),
		asked: fmt.Sprintf("%d sent, all back", trial.Frames()),
		measure: func(ctx context.Context, _ setup) (measured string, kept bool, err error) {
			lab, err := testbed.OpenNetns(ctx, testbed.NetnsConfig{})
			if err != nil {
				return "", false, err
			}
			defer func() { err = errors.Join(err, lab.Close()) }()
			t, err := tester.OpenXDP(tester.XDPConfig{Namespace: lab.Tester, Ports: lab.DUT().Ports, Self: &lab.Self, CPUs: lab.CPUs()})
			if err != nil {
				return "", false, err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			r, err := t.Measure(ctx, trial)
			if err != nil {
				return "", false, err
			}
			return fmt.Sprintf("%d sent, %d back, late by %v at most", r.Offered, r.Received, r.Pacing.LongestStall),
				r.Offered == trial.Frames() && r.Received == r.Offered, nil
		},
	}
}
