package dut

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// linux forwards with the kernel's own IP stack.
type linux struct{}

// forwarding are the sysctls that make a router.
var forwarding = []string{
	"net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding",
}

func (p linux) Forward(ctx context.Context, d weir.DUT, s Setup) (func(context.Context) error, error) {
	undo := settings.Undo{Journal: s.Journal}
	fail := func(err error) (func(context.Context) error, error) {
		if back := undo.Run(context.WithoutCancel(ctx)); back != nil {
			err = fmt.Errorf("%w; and undoing what was done: %w", err, back)
		}
		return nil, err
	}
	var add strings.Builder
	var del []string
	for i, port := range d.Ports {
		for _, a := range s.Address[i] {
			noDAD := ""
			if a.Addr().Is6() {
				noDAD = " nodad" // usable at once
			}
			fmt.Fprintf(&add, "address replace %s dev %s%s\n", a, port.DUT, noDAD)
			del = append(del, fmt.Sprintf("address del %s dev %s\n", a, port.DUT))
		}
		// The tester's MAC address is known for good: an aging entry would
		// stop the traffic in the middle of a trial.
		for _, n := range s.Neighbor[i] {
			fmt.Fprintf(&add, "neighbor replace %s lladdr %s dev %s nud permanent\n", n, port.TesterMAC, port.DUT)
			del = append(del, fmt.Sprintf("neighbor del %s dev %s\n", n, port.DUT))
			for _, r := range s.Route[i] {
				if r.Addr().Is4() == n.Is4() {
					fmt.Fprintf(&add, "route replace %s via %s dev %s\n", r, n, port.DUT)
					del = append(del, fmt.Sprintf("route del %s via %s dev %s\n", r, n, port.DUT))
				}
			}
		}
	}
	slices.Reverse(del)
	err := undo.Do(ctx, d.Host, settings.Command{Argv: []string{"ip", "-batch", "-"}, Stdin: add.String()},
		settings.Command{Argv: []string{"ip", "-force", "-batch", "-"}, Stdin: strings.Join(del, "")})
	if err != nil {
		return fail(fmt.Errorf("give the DUT its addresses and routes: %w", err))
	}
	for _, name := range forwarding {
		if _, err := undo.Set(ctx, d.Host, file("/proc/sys/"+name), "1"); err != nil {
			return fail(fmt.Errorf("turn forwarding on: %w", err))
		}
	}
	if s.Policer != nil {
		if err := p.police(ctx, d, *s.Policer, &undo); err != nil {
			return fail(err)
		}
	}
	return undo.Run, nil
}

// shown are the sysctls that change what a Linux router does with a frame.
var shown = []string{
	"net/ipv4/ip_forward", "net/ipv4/conf/all/rp_filter", "net/ipv4/ip_early_demux",
	"net/core/netdev_budget", "net/core/netdev_max_backlog", "net/core/dev_weight", "net/core/default_qdisc",
	"net/ipv4/fib_multipath_hash_policy", "net/netfilter/nf_conntrack_max",
	"net/ipv6/conf/all/forwarding",
}

func (linux) Settings(ctx context.Context, d weir.DUT) ([]weir.Setting, error) {
	var out []weir.Setting
	for _, name := range shown {
		if v, err := d.Host.ReadFile(ctx, "/proc/sys/"+name); err == nil {
			out = append(out, weir.Setting{Where: "dut", Name: strings.ReplaceAll(name, "/", "."), Value: strings.TrimSpace(v)})
		}
	}
	for i, port := range d.Ports {
		qdisc, err := d.Host.Run(ctx, "", "tc", "qdisc", "show", "dev", port.DUT)
		if err != nil {
			continue // tc may be missing; then the reader is told nothing
		}
		out = append(out, weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d qdisc", i),
			Value: strings.TrimSpace(strings.ReplaceAll(qdisc, port.DUT+" ", ""))})
	}
	return out, nil
}
