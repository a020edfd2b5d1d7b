package telemetry

import (
	"fmt"
	"strconv"
	"strings"
)

// statPath says how the processors spend their time, and what the scheduler did.
const statPath = "/proc/stat"

// cpuSource is how each of the DUT's CPUs spent its time. What forwards in
// threads counts as system, what does so in softirq mostly as softirq.
var cpuSource = Source{
	Name:    "cpu",
	Summary: "time of each CPU by kind: user, system, softirq, steal ... (/proc/stat)",
	wants:   func(Subject) wants { return wants{files: []string{statPath}} },
	parse:   parseKinds,
}

// kinds are the columns of /proc/stat. What guests do is among the first two.
var kinds = []string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"}

func parseKinds(what Subject, a answers) (out []sample, err error) {
	for line := range strings.Lines(a.texts[statPath]) {
		f := strings.Fields(line)
		if len(f) == 0 || !strings.HasPrefix(f[0], "cpu") {
			continue
		}
		cpu, err := strconv.Atoi(strings.TrimPrefix(f[0], "cpu"))
		if err != nil || !what.of(cpu) {
			continue // all of them together, or one of no interest
		}
		ticks, ok := counts(f[1:], 10)
		if !ok || len(ticks) < len(kinds) {
			return nil, fmt.Errorf("%s has the line %q", statPath, cut(line))
		}
		for i, kind := range kinds {
			out = append(out, sample{name: fmt.Sprintf("CPU %d %s", cpu, kind), unit: "s", count: ticks[i], scale: 1. / userHZ, mayDecrease: true})
		}
	}
	return out, nil
}
