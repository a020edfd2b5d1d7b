package dut

import (
	"context"
	"fmt"
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
	ports, err := p.saveInterfaceState(ctx, d, s, &undo)
	if err != nil {
		return fail(fmt.Errorf("keep what the DUT has: %w", err))
	}
	for i, port := range d.Ports {
		steps, err := p.steps(ctx, d.Host, ports[port.DUT], port, s, i)
		if err != nil {
			return fail(err)
		}
		for _, one := range steps {
			if err := undo.Do(ctx, d.Host, settings.Command{Argv: one.do}, settings.Command{Argv: one.undo}); err != nil {
				return fail(fmt.Errorf("give the DUT its addresses and routes: %w", err))
			}
		}
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

// steps are what makes a port one of a router, each by a command of its own, so that what
// was done is known when one fails. What the port of a DUT in service has already is not
// given again, and so is not taken away at the end.
func (p linux) steps(ctx context.Context, h weir.Host, has Interface, port weir.Port, s Setup, i int) (out []step, err error) {
	ip := func(do, undo string) {
		out = append(out, step{strings.Fields("ip " + do), strings.Fields("ip " + undo)})
	}
	if s.InService && !has.Up {
		ip("link set dev "+port.DUT+" up", "link set dev "+port.DUT+" down")
	}
	for _, a := range s.Address[i] {
		noDAD := ""
		if a.Addr().Is6() {
			noDAD = " nodad" // usable at once
		}
		if !has.owns(a) {
			ip(fmt.Sprintf("address replace %s dev %s%s", a, port.DUT, noDAD), fmt.Sprintf("address del %s dev %s", a, port.DUT))
		}
	}
	// The tester's MAC address is known for good: an aging entry would
	// stop the traffic in the middle of a trial.
	for _, n := range s.Neighbor[i] {
		own := neighbourOf{port.DUT, n, port.TesterMAC}
		if err := p.neighbour(ctx, h, own, s.InService, ip); err != nil {
			return nil, err
		}
		for _, r := range s.Route[i] {
			if r.Addr().Is4() != n.Is4() {
				continue
			}
			if err := p.route(ctx, h, own, r, s.InService, ip); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// shown are the sysctls that change what a Linux router does with a frame.
var shown = []string{
	"net/ipv4/ip_forward", "net/ipv4/conf/all/rp_filter", "net/ipv4/ip_early_demux",
	"net/core/netdev_budget", "net/core/netdev_max_backlog", "net/core/dev_weight", "net/core/default_qdisc",
	"net/ipv4/fib_multipath_hash_policy", "net/netfilter/nf_conntrack_max",
	"net/ipv6/conf/all/forwarding",
}

func (p linux) Settings(ctx context.Context, d weir.DUT) ([]weir.Setting, error) {
	out := p.cards(ctx, d)
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
