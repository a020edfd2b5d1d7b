package dut

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weir"
)

// portDrops reads what a port dropped, or its driver.
func portDrops(ctx context.Context, h weir.Host, i int, name string) ([]weir.Drop, error) {
	files := []struct{ file, place string }{
		{"rx_dropped", receiptPlace},
		{"rx_errors", errorsPlace},
	}
	sent := fmt.Sprintf("dut port %d dropped on transmission (tx_dropped)", i)
	if _, err := h.ReadFile(ctx, "/sys/class/net/"+name+"/device/uevent"); err == nil {
		// A card counts what it had no room for apart from what is wrong.
		files = append(files, []struct{ file, place string }{
			{"rx_missed_errors", "receive ring full (rx_missed_errors)"},
			{"rx_over_errors", overrunPlace},
			{"tx_errors", "transmission errors (tx_errors)"},
		}...)
	} else {
		// A virtual link has no transmit queue: the ring that was full is
		// that of the port at its other end.
		sent = fmt.Sprintf("tester port %d receive ring full (tx_dropped of the DUT's port)", i)
	}
	var drops []weir.Drop
	for _, c := range files {
		n, err := readCount(ctx, h, "/sys/class/net/"+name+"/statistics/"+c.file)
		if err != nil {
			return nil, err
		}
		drops = append(drops, weir.Drop{Place: fmt.Sprintf("dut port %d %s", i, c.place), Count: n})
	}
	n, err := readCount(ctx, h, "/sys/class/net/"+name+"/statistics/tx_dropped")
	return append(drops, weir.Drop{Place: sent, Count: n}), err
}

// The counters of the IP stack that stand for frames that were not forwarded,
// each at a place of its own in the kernel; but for InCsumErrors, which are
// InHdrErrors as well (see Since). FragFails of IPv6 are left out: a packet that
// is too big for its next link counts there and as InTooBigErrors.
var (
	ipDrops    = []string{"InHdrErrors", "InAddrErrors", "InDiscards", "OutDiscards", "OutNoRoutes", "FragFails"}
	ipExtDrops = []string{"InNoRoutes", "InTruncatedPkts", "InCsumErrors"}
	tcpDrops   = []string{"IPReversePathFilter"} // it is the kernel that has it among those of TCP
	ip6Drops   = []string{"Ip6InHdrErrors", "Ip6InTooBigErrors", "Ip6InNoRoutes", "Ip6InAddrErrors", "Ip6InTruncatedPkts", "Ip6InDiscards", "Ip6OutDiscards", "Ip6OutNoRoutes"}
)

// stackDrops reads what the IP stack dropped. What a kernel does not count is 0.
func stackDrops(ctx context.Context, h weir.Host) ([]weir.Drop, error) {
	snmp, err := h.ReadFile(ctx, "/proc/net/snmp")
	if err != nil {
		return nil, err
	}
	netstat, err := h.ReadFile(ctx, "/proc/net/netstat")
	if err != nil {
		return nil, err
	}
	var drops []weir.Drop
	for _, g := range []struct {
		text, group string
		names       []string
	}{{snmp, "Ip", ipDrops}, {netstat, "IpExt", ipExtDrops}, {netstat, "TcpExt", tcpDrops}} {
		counts := snmpGroup(g.text, g.group)
		for _, name := range g.names {
			drops = append(drops, weir.Drop{Place: "dut IPv4 " + name, Count: counts[name]})
		}
	}
	if snmp6, err := h.ReadFile(ctx, "/proc/net/snmp6"); err == nil { // not there without IPv6
		counts := fields6(snmp6)
		for _, name := range ip6Drops {
			drops = append(drops, weir.Drop{Place: "dut IPv6 " + strings.TrimPrefix(name, "Ip6"), Count: counts[name]})
		}
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
