package telemetry

import (
	"fmt"
	"strings"
)

const softnetPath = "/proc/net/softnet_stat"

// softnetSource is what each CPU's part of the network stack says. A squeeze is a
// softirq that stopped with frames still waiting, its time or budget used up:
// nothing is lost by that.
var softnetSource = Source{
	Name:    "softnet",
	Summary: "frames taken, dropped at the backlog, steered to other CPUs, and squeezes, by CPU (/proc/net/softnet_stat)",
	wants:   func(Subject) wants { return wants{files: []string{softnetPath}} },
	parse:   parseSoftnet,
}

// softnetColumns are those that the kernel still counts.
var softnetColumns = []struct {
	at   int
	name string
}{
	{0, "processed"}, {1, "dropped"}, {2, "time_squeeze"}, {9, "received_rps"}, {10, "flow_limit_count"},
}

// softnetCPU is the column that says which CPU a line is of, since Linux 5.10:
// those that are not online have none.
const softnetCPU = 12

func parseSoftnet(what Subject, a answers) (out []sample, err error) {
	line := -1
	for row := range strings.Lines(a.texts[softnetPath]) {
		line++
		n, ok := counts(strings.Fields(row), 16)
		if !ok || len(n) < 3 {
			return nil, fmt.Errorf("%s has the line %q", softnetPath, cut(row))
		}
		cpu := line
		if len(n) > softnetCPU {
			cpu = int(n[softnetCPU])
		}
		if !what.of(cpu) {
			continue
		}
		for _, c := range softnetColumns {
			if c.at < len(n) {
				out = append(out, sample{name: fmt.Sprintf("CPU %d %s", cpu, c.name), unit: "count", count: n[c.at], wrap: words32})
			}
		}
	}
	return out, nil
}
