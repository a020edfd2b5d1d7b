package dut

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// ahead is a host of which some files were read at once: those of a host that is far
// take a turn of the connection each otherwise.
type ahead struct {
	weir.Host
	files []string
	texts map[string]string
}

// readAhead reads files of a host that can read many at once.
func readAhead(ctx context.Context, h weir.Host, files []string) (weir.Host, error) {
	many, ok := h.(weir.FilesReader)
	if !ok {
		return h, nil
	}
	texts, err := many.ReadFiles(ctx, files)
	return ahead{h, files, texts}, err
}

// ReadFile is that of the host for files that were not read ahead.
func (a ahead) ReadFile(ctx context.Context, path string) (string, error) {
	if text, read := a.texts[path]; read {
		return text, nil
	}
	if slices.Contains(a.files, path) {
		return "", &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return a.Host.ReadFile(ctx, path)
}

// countersOf are the files that hold the counters of a DUT.
func countersOf(d weir.DUT) []string {
	files := []string{snmpFile, netstatFile, snmp6File, softnetFile}
	for _, port := range d.Ports {
		files = append(files, cardFile(port.DUT))
		for _, name := range []string{"rx_dropped", "rx_errors", "rx_missed_errors", "rx_over_errors", "tx_errors", "tx_dropped"} {
			files = append(files, statistic(port.DUT, name))
		}
	}
	return files
}

// The files of the kernel's counters.
const (
	snmpFile    = "/proc/net/snmp"
	netstatFile = "/proc/net/netstat"
	snmp6File   = "/proc/net/snmp6"
	softnetFile = "/proc/net/softnet_stat"
)

// statistic is the file of one of a port's counters.
func statistic(port, name string) string { return "/sys/class/net/" + port + "/statistics/" + name }

// cardFile is a file that a port has which is a card, and no virtual link.
func cardFile(port string) string { return "/sys/class/net/" + port + "/device/uevent" }

// portDrops reads what a port dropped, or its driver.
func portDrops(ctx context.Context, h weir.Host, i int, name string) ([]weir.Drop, error) {
	files := []struct{ file, place string }{
		{"rx_dropped", receiptPlace},
		{"rx_errors", errorsPlace},
	}
	sent := weir.Drop{Place: fmt.Sprintf("dut port %d dropped on transmission (tx_dropped)", i)}
	if _, err := h.ReadFile(ctx, cardFile(name)); err == nil {
		// A card counts what it had no room for apart from what is wrong.
		files = append(files, []struct{ file, place string }{
			{"rx_missed_errors", "receive ring full (rx_missed_errors)"},
			{"rx_over_errors", overrunPlace},
			{"tx_errors", "transmission errors (tx_errors)"},
		}...)
	} else {
		// A virtual link has no transmit queue: the ring that was full is
		// that of the port at its other end.
		sent = weir.Drop{Place: fmt.Sprintf("tester port %d receive ring full (tx_dropped of the DUT's port)", i), Kind: weir.DropTester}
	}
	var drops []weir.Drop
	for _, c := range files {
		n, err := readCount(ctx, h, statistic(name, c.file))
		if err != nil {
			return nil, err
		}
		drops = append(drops, weir.Drop{Place: fmt.Sprintf("dut port %d %s", i, c.place), Count: n})
	}
	var err error
	sent.Count, err = readCount(ctx, h, statistic(name, "tx_dropped"))
	return append(drops, sent), err
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
	snmp, err := h.ReadFile(ctx, snmpFile)
	if err != nil {
		return nil, err
	}
	netstat, err := h.ReadFile(ctx, netstatFile)
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
	if snmp6, err := h.ReadFile(ctx, snmp6File); err == nil { // not there without IPv6
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
