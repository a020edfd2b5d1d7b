package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
)

// heldLink is the rate of a held link. Of each 1,538 octets that a full frame takes of an
// Ethernet, 1,448 are payload of TCP with time stamps.
const (
	heldLink = 100e6
	heldPlan = "testbed: {kind: netns, link: 100M}\n"
	fits     = heldLink * 1448 / 1538
)

// transfers are the promises about what programs of end hosts reach.
func transfers() []promise {
	const rate = 100e6
	only := func(method string) string { return "testbed: {kind: netns}\nmethods: [" + method + "]\n" }
	at := func(name, method string) promise {
		return bounded("transfers", fmt.Sprintf("UDP of %s at %.0f Mbit/s", name, rate/1e6), "within 2 %",
			only(fmt.Sprintf("{method: %s, rate: %.0fM, trial: 5s, trials: 1}", method, rate/1e6)),
			[]bound{{"", .98 * rate, 1.02 * rate, "bit/s"}})
	}
	filled := func(name, method string) promise {
		return bounded("transfers", fmt.Sprintf("TCP of %s over a link of %.0f Mbit/s", name, heldLink/1e6), fmt.Sprintf("%.2f Mbit/s within 2 %%", fits/1e6),
			heldPlan+"methods: [{method: "+method+", trial: 5s, trials: 1}]\n", []bound{{"", .98 * fits, 1.02 * fits, "bit/s"}})
	}
	return []promise{
		goodput(1500, 93.5, 94.95),
		goodput(9000, 98, 99.2),
		bounded("transfers", "TCP connections in a lab", "200 a second and more", only("{method: connections, trial: 3s, trials: 1}"),
			[]bound{{"", 200, math.Inf(1), "connections/s"}}),
		at("weir", "udp"),
		at("iperf3", "iperf3, test: udp"),
		filled("iperf3", "iperf3"),
		filled("netperf", "netperf, test: TCP_STREAM"),
		bounded("transfers", "transactions of netperf", "100 a second and more", only("{method: netperf, test: TCP_RR, trial: 3s, trials: 1}"),
			[]bound{{"", 100, math.Inf(1), "transactions/s"}}),
		roundTrips(),
	}
}

// goodput has weir's own stream fill a link that is held to a rate, in both directions, from a server and by IPv6.
func goodput(mtu int, least, most float64) promise {
	const (
		v6   = "family: ipv6"
		less = 1. // Mbit/s at least, as its header is longer
	)
	return promise{
		group: "goodput",
		name:  fmt.Sprintf("TCP goodput over a link of %.0f Mbit/s, MTU %d", heldLink/1e6, mtu),
		asked: fmt.Sprintf("%g to %g Mbit/s each way, by IPv6 %g at least", least, most, least-less),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			kept := true
			var all []string
			for _, way := range []string{"direction: forward", "direction: reverse", "server: source", v6} {
				r, err := s.planned(ctx, heldPlan+fmt.Sprintf("dut: {mtu: %d}\ntraffic: {%s}\nmethods: [{method: tcp, trial: 5s, trials: 1}]\n", mtu, way))
				if err == nil && r.Value <= 0 {
					err = errors.New("no number: " + r.Unmeasured)
				}
				if err != nil {
					return "", false, fmt.Errorf("%s: %w", way, err)
				}
				from := least
				if way == v6 {
					from -= less
				}
				rate := r.Value / 1e6
				kept = kept && rate >= from && rate <= most
				all = append(all, fmt.Sprintf("%.2f Mbit/s (%s)", rate, way))
			}
			return strings.Join(all, ", "), kept && len(all) > 0, nil
		},
	}
}

// roundTrips is the promise about round trips without load, and while a stream fills a link.
func roundTrips() promise {
	const most = .01 // s
	return promise{
		group: "transfers", name: "round trips without load and under it", asked: fmt.Sprintf("below %g ms, and more", 1e3*most),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			r, err := s.planned(ctx, heldPlan+"methods: [{method: loaded-latency, trial: 5s, trials: 1}]\n")
			if err != nil {
				return "", false, err
			}
			idle, there := r.figure("round trip without load")
			under, also := r.figure("round trip under load")
			if !there || !also || idle <= 0 {
				return "", false, errors.New("no round trips: " + r.Unmeasured)
			}
			return fmt.Sprintf("%.3f ms, and %.3f ms", 1e3*idle, 1e3*under), idle < most && under > idle, nil
		},
	}
}
