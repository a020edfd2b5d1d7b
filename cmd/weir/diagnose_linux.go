package main

import (
	"context"
	"fmt"
	"strings"

	"weir"
	"weir/frame"
)

// diagnose says what the DUT knows that it needs for forwarding: the state and
// counters of its ports, its neighbours, and what it would do with a test frame.
func (l *netnsLab) diagnose(ctx context.Context) string {
	d := l.bed.DUT()
	var said []string
	for i, port := range d.Ports {
		counters := make([]string, 0, 4)
		for _, name := range []string{"operstate", "statistics/rx_packets", "statistics/tx_packets"} {
			text, err := d.Host.ReadFile(ctx, "/sys/class/net/"+port.DUT+"/"+name)
			if err != nil {
				text = "unknown"
			}
			counters = append(counters, strings.TrimSpace(text))
		}
		said = append(said, fmt.Sprintf("DUT port %d is %s, has received %s frames and sent %s", i, counters[0], counters[1], counters[2]))
	}
	for _, family := range l.families() {
		for i, port := range d.Ports {
			a := frame.TesterAddr(family, i)
			said = append(said, fmt.Sprintf("neighbour %v at port %d: %s", a, i, l.ask(ctx, "neighbor", "show", a.String(), "dev", port.DUT)))
		}
		from, to := frame.TesterAddr(family, 0), frame.TesterAddr(family, 1)
		said = append(said, fmt.Sprintf("route of %v to %v: %s", from, to,
			l.ask(ctx, "route", "get", to.String(), "from", from.String(), "iif", d.Ports[0].DUT)))
	}
	return strings.Join(said, "; ")
}

// families are those of the plan's traffic.
func (l *netnsLab) families() []weir.Family {
	var out []weir.Family
	for _, f := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, t := range l.plan.Traffic {
			if t.Family == f || t.Blend != nil {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// ask is what the ip command of the DUT answers, on one line.
func (l *netnsLab) ask(ctx context.Context, argv ...string) string {
	said, err := l.bed.DUT().Host.Run(ctx, "", append([]string{"ip"}, argv...)...)
	if err != nil {
		return err.Error()
	}
	if said = strings.Join(strings.Fields(said), " "); said == "" {
		return "none"
	}
	return said
}
