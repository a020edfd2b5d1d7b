package telemetry

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	conntrackCount = "/proc/sys/net/netfilter/nf_conntrack_count"
	conntrackMax   = "/proc/sys/net/netfilter/nf_conntrack_max"
	conntrackStat  = "/proc/net/stat/nf_conntrack"
)

// conntrackSource is how full the table of connections is and what became of
// them. It is there where the kernel tracks connections, or could.
var conntrackSource = Source{
	Name:    "conntrack",
	Summary: "use of the table of connections, and what netfilter did with them (nf_conntrack_count, /proc/net/stat/nf_conntrack)",
	wants:   func(Subject) wants { return wants{files: []string{conntrackCount, conntrackMax, conntrackStat}} },
	parse:   parseConntrack,
}

func parseConntrack(_ Subject, a answers) (out []sample, err error) {
	entries, err := strconv.ParseUint(a.text(conntrackCount), 10, 64)
	if err != nil {
		return nil, nil // it is not there
	}
	out = append(out, sample{name: "entries", unit: "count", gauge: true, value: float64(entries)})
	if most, err := strconv.ParseUint(a.text(conntrackMax), 10, 64); err == nil && most > 0 {
		out = append(out, sample{name: "share of the table in use", gauge: true, value: float64(entries) / float64(most)})
	}
	head, rows, _ := strings.Cut(a.texts[conntrackStat], "\n")
	names := strings.Fields(head)
	sums := make([]uint64, len(names))
	for row := range strings.Lines(rows) { // of a CPU each
		n, ok := counts(strings.Fields(row), 16)
		if !ok || len(n) != len(names) {
			return nil, fmt.Errorf("%s has the line %q", conntrackStat, cut(row))
		}
		for i := range n {
			sums[i] += n[i]
		}
	}
	for i, name := range names {
		if name != "entries" { // as above, on each line
			out = append(out, sample{name: name, unit: "count", count: sums[i]})
		}
	}
	return out, nil
}
