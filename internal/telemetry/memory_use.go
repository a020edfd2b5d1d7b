package telemetry

import (
	"fmt"
	"strconv"
	"strings"
)

const meminfoPath = "/proc/meminfo"

// memorySource is what memory there is left, and what the kernel's own
// structures take: tables of connections, routes and frames on their way.
var memorySource = Source{
	Name:    "memory",
	Summary: "available memory, and that of the kernel's slabs (/proc/meminfo)",
	wants:   func(Subject) wants { return wants{files: []string{meminfoPath}} },
	parse:   parseMemory,
}

func parseMemory(_ Subject, a answers) (out []sample, err error) {
	names := map[string]string{"MemAvailable:": "available", "Slab:": "slab", "SUnreclaim:": "slab, not reclaimable"}
	for line := range strings.Lines(a.texts[meminfoPath]) {
		f := strings.Fields(line)
		if len(f) != 3 || names[f[0]] == "" {
			continue
		}
		n, err := strconv.ParseUint(f[1], 10, 54)
		if err != nil || f[2] != "kB" {
			return nil, fmt.Errorf("%s has the line %q", meminfoPath, cut(line))
		}
		out = append(out, sample{name: names[f[0]], unit: "octets", gauge: true, value: float64(n << 10)})
	}
	return out, nil
}
