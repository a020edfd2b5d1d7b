package telemetry

import (
	"fmt"
	"strings"
)

const devPath = "/proc/net/dev"

// portSource is what the kernel counts of each port, real or virtual: the same
// as in /sys/class/net/PORT/statistics, in one file.
var portSource = Source{
	Name:    "ports",
	Summary: "frames, octets without FCS, errors and drops of each port (/proc/net/dev)",
	wants:   func(Subject) wants { return wants{files: []string{devPath}} },
	parse:   parsePorts,
}

// devColumns of /proc/net/dev, by the names of the files in sysfs. What was
// missed for want of room is among the dropped ones there.
var devColumns = []string{
	"rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo_errors", "rx_frame_errors", "rx_compressed", "multicast",
	"tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo_errors", "collisions", "tx_carrier_errors", "tx_compressed",
}

func parsePorts(what Subject, a answers) (out []sample, err error) {
	for line := range strings.Lines(a.texts[devPath]) {
		name, rest, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		for i, p := range what.Ports {
			if strings.TrimSpace(name) != p.DUT {
				continue
			}
			n, ok := counts(strings.Fields(rest), 10)
			if !ok || len(n) < len(devColumns) {
				return nil, fmt.Errorf("%s has the line %q", devPath, cut(line))
			}
			for c, column := range devColumns {
				s := sample{name: fmt.Sprintf("port %d %s", i, column), unit: "count", count: n[c]}
				if strings.HasSuffix(column, "_bytes") {
					s.unit = "octets"
				}
				out = append(out, s)
			}
		}
	}
	return out, nil
}
