package telemetry

import (
	"fmt"
	"strings"
)

// schedulerSource is how often the machine changed what it did.
var schedulerSource = Source{
	Name:    "scheduler",
	Summary: "context switches and new processes of the machine (/proc/stat)",
	wants:   func(Subject) wants { return wants{files: []string{statPath}} },
	parse:   parseScheduler,
}

func parseScheduler(_ Subject, a answers) (out []sample, err error) {
	names := map[string]string{"ctxt": "context switches", "processes": "processes started"}
	for line := range strings.Lines(a.texts[statPath]) {
		f := strings.Fields(line)
		if len(f) == 0 || names[f[0]] == "" {
			continue
		}
		n, ok := counts(f[1:], 10)
		if !ok || len(n) != 1 {
			return nil, fmt.Errorf("%s has the line %q", statPath, cut(line))
		}
		out = append(out, sample{name: names[f[0]], unit: "count", count: n[0]})
	}
	return out, nil
}
