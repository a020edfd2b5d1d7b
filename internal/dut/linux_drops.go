package dut

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// Drops reads where a Linux router may have dropped frames.
func (p linux) Drops(ctx context.Context, d weir.DUT, s Setup) ([]weir.Drop, error) {
	var drops []weir.Drop
	for i, port := range d.Ports {
		for _, c := range []struct{ file, place string }{
			{"rx_dropped", "dut port %d " + receiptPlace},
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
	netstat, err := d.Host.ReadFile(ctx, "/proc/net/netstat")
	if err != nil {
		return nil, err
	}
	drops = append(drops, weir.Drop{Place: "dut IPv4 InNoRoutes", Count: snmpGroup(netstat, "IpExt")["InNoRoutes"]})
	snmp6, err := d.Host.ReadFile(ctx, "/proc/net/snmp6")
	if err == nil { // not there without IPv6
		ip6 := fields6(snmp6)
		for _, c := range []string{"Ip6InHdrErrors", "Ip6InNoRoutes", "Ip6InAddrErrors", "Ip6InDiscards", "Ip6OutDiscards", "Ip6OutNoRoutes"} {
			drops = append(drops, weir.Drop{Place: "dut IPv6 " + strings.TrimPrefix(c, "Ip6"), Count: ip6[c]})
		}
	}
	for _, more := range []struct {
		there bool
		read  func(context.Context, weir.DUT, Setup) ([]weir.Drop, error)
	}{{len(s.CPUs) > 0, backlogged}, {s.Policer != nil, policed}, {s.Filters > 0, filtered},
		{s.Firewall.Kind != "", firewalled}, {s.Queueing, queued}} {
		if !more.there {
			continue
		}
		found, err := more.read(ctx, d, s)
		if err != nil {
			return nil, err
		}
		drops = append(drops, found...)
	}
	return drops, nil
}

// The ends of places that count the same frames.
const (
	receiptPlace = "dropped on receipt (rx_dropped)"
	backlogPlace = "backlog full (softnet_stat)"
)

// Since is what was dropped between two readings of Drops. A frame for which
// the backlog of a CPU has no room is counted as dropped by its port, too; here
// it counts at the backlog alone.
func Since(before, after []weir.Drop) []weir.Drop {
	was := make(map[string]uint64)
	for _, d := range before {
		was[d.Place] = d.Count
	}
	var backlog uint64
	out := make([]weir.Drop, len(after))
	for i, d := range after {
		d.Count -= was[d.Place]
		out[i] = d
		if strings.HasSuffix(d.Place, backlogPlace) {
			backlog += d.Count
		}
	}
	for i := range out {
		if strings.HasSuffix(out[i].Place, receiptPlace) {
			twice := min(backlog, out[i].Count)
			out[i].Count -= twice
			backlog -= twice
		}
	}
	return out
}

// backlogged reads what found no room in the backlogs of the DUT's CPUs, where
// frames wait that are steered to one. The counters are those of the machine.
func backlogged(ctx context.Context, d weir.DUT, s Setup) ([]weir.Drop, error) {
	text, err := d.Host.ReadFile(ctx, "/proc/net/softnet_stat")
	if err != nil {
		return nil, err
	}
	var drops []weir.Drop
	line := -1
	for row := range strings.Lines(text) {
		line++
		f := strings.Fields(row)
		if len(f) < 2 {
			continue
		}
		cpu := line
		if len(f) > 12 { // it says which one, since some may be missing
			n, err := strconv.ParseUint(f[12], 16, 32)
			if err != nil {
				return nil, fmt.Errorf("read softnet_stat: %w", err)
			}
			cpu = int(n)
		}
		if !slices.Contains(s.CPUs, cpu) {
			continue
		}
		n, err := strconv.ParseUint(f[1], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("read softnet_stat: %w", err)
		}
		drops = append(drops, weir.Drop{Place: fmt.Sprintf("dut CPU %d "+backlogPlace, cpu), Count: n})
	}
	return drops, nil
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
