package dut

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// linux forwards with the kernel's own IP stack.
type linux struct{}

// forwarding are the sysctls that make a router.
var forwarding = []string{
	"net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding",
}

func (p linux) Forward(ctx context.Context, d weir.DUT, s Setup) (func(context.Context) error, error) {
	var undo undoList
	fail := func(err error) (func(context.Context) error, error) {
		if back := undo.run(context.WithoutCancel(ctx)); back != nil {
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
	if _, err := d.Host.Run(ctx, add.String(), "ip", "-batch", "-"); err != nil {
		return fail(fmt.Errorf("give the DUT its addresses and routes: %w", err))
	}
	undo.add(func(ctx context.Context) error {
		slices.Reverse(del)
		_, err := d.Host.Run(ctx, strings.Join(del, ""), "ip", "-force", "-batch", "-")
		return err
	})
	for _, name := range forwarding {
		if err := undo.set(ctx, d.Host, "/proc/sys/"+name, "1"); err != nil {
			return fail(fmt.Errorf("turn forwarding on: %w", err))
		}
	}
	if s.Policer != nil {
		back, err := p.police(ctx, d, *s.Policer)
		if err != nil {
			return fail(err)
		}
		undo.add(back)
	}
	return undo.run, nil
}

// undoList is what has to be undone, last first.
type undoList []func(context.Context) error

func (u *undoList) add(f func(context.Context) error) { *u = append(*u, f) }

// set writes a value to a file of the host and remembers the old one.
func (u *undoList) set(ctx context.Context, h weir.Host, path, value string) error {
	old, err := h.ReadFile(ctx, path)
	if err != nil {
		return err
	}
	if strings.TrimSpace(old) == value {
		return nil
	}
	if err := h.WriteFile(ctx, path, value); err != nil {
		return err
	}
	u.add(func(ctx context.Context) error { return h.WriteFile(ctx, path, old) })
	return nil
}

func (u *undoList) run(ctx context.Context) error {
	var first error
	for i := len(*u) - 1; i >= 0; i-- {
		if err := (*u)[i](ctx); err != nil && first == nil {
			first = err
		}
	}
	*u = nil
	return first
}

// Drops reads where a Linux router may have dropped frames.
func (p linux) Drops(ctx context.Context, d weir.DUT, s Setup) ([]weir.Drop, error) {
	var drops []weir.Drop
	for i, port := range d.Ports {
		for _, c := range []struct{ file, place string }{
			{"rx_dropped", "dut port %d dropped on receipt (rx_dropped)"},
			{"rx_errors", "dut port %d receive errors (rx_errors)"},
		} {
			n, err := readCount(ctx, d.Host, "/sys/class/net/"+port.DUT+"/statistics/"+c.file)
			if err != nil {
				return nil, err
			}
			drops = append(drops, weir.Drop{Place: fmt.Sprintf(c.place, i), Count: n})
		}
		n, err := readCount(ctx, d.Host, "/sys/class/net/"+port.DUT+"/statistics/tx_dropped")
		if err != nil {
			return nil, err
		}
		place := fmt.Sprintf("dut port %d dropped on transmission (tx_dropped)", i)
		if _, err := d.Host.ReadFile(ctx, "/sys/class/net/"+port.DUT+"/device/uevent"); err != nil {
			// A virtual link has no transmit queue: the ring that was full is
			// that of the port at its other end.
			place = fmt.Sprintf("tester port %d receive ring full (tx_dropped of the DUT's port)", i)
		}
		drops = append(drops, weir.Drop{Place: place, Count: n})
	}
	snmp, err := d.Host.ReadFile(ctx, "/proc/net/snmp")
	if err != nil {
		return nil, err
	}
	ip := snmpGroup(snmp, "Ip")
	for _, c := range []string{"InHdrErrors", "InAddrErrors", "InDiscards", "OutDiscards", "OutNoRoutes"} {
		drops = append(drops, weir.Drop{Place: "dut IPv4 " + c, Count: ip[c]})
	}
	snmp6, err := d.Host.ReadFile(ctx, "/proc/net/snmp6")
	if err == nil { // not there without IPv6
		ip6 := fields6(snmp6)
		for _, c := range []string{"Ip6InHdrErrors", "Ip6InNoRoutes", "Ip6InAddrErrors", "Ip6InDiscards", "Ip6OutDiscards", "Ip6OutNoRoutes"} {
			drops = append(drops, weir.Drop{Place: "dut IPv6 " + strings.TrimPrefix(c, "Ip6"), Count: ip6[c]})
		}
	}
	if s.Policer == nil {
		return drops, nil
	}
	policed, err := policed(ctx, d, s.Policer.Kind)
	return append(drops, policed...), err
}

func readCount(ctx context.Context, h weir.Host, path string) (uint64, error) {
	text, err := h.ReadFile(ctx, path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return n, nil
}

// snmpGroup reads one group of /proc/net/snmp: a line of names, one of values.
func snmpGroup(text, group string) map[string]uint64 {
	values := make(map[string]uint64)
	var names []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, group+": ")
		if !ok {
			continue
		}
		if names == nil {
			names = strings.Fields(rest)
			continue
		}
		for i, v := range strings.Fields(rest) {
			if n, err := strconv.ParseUint(v, 10, 64); err == nil && i < len(names) {
				values[names[i]] = n
			}
		}
		break
	}
	return values
}

// fields6 reads /proc/net/snmp6: a name and a value a line.
func fields6(text string) map[string]uint64 {
	values := make(map[string]uint64)
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 {
			if n, err := strconv.ParseUint(f[1], 10, 64); err == nil {
				values[f[0]] = n
			}
		}
	}
	return values
}

// settings that change what a Linux router does with a frame.
var settings = []string{
	"net/ipv4/ip_forward", "net/ipv4/conf/all/rp_filter", "net/ipv4/ip_early_demux",
	"net/core/netdev_budget", "net/core/netdev_max_backlog", "net/core/dev_weight", "net/core/default_qdisc",
	"net/ipv4/fib_multipath_hash_policy", "net/netfilter/nf_conntrack_max",
	"net/ipv6/conf/all/forwarding",
}

func (linux) Settings(ctx context.Context, d weir.DUT) ([]weir.Setting, error) {
	var out []weir.Setting
	for _, name := range settings {
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
