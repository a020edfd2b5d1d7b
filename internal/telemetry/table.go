package telemetry

import (
	"strconv"
	"strings"
)

// counts reads the numbers of a line, decimal or hexadecimal; false when one is
// none.
func counts(fields []string, base int) ([]uint64, bool) {
	out := make([]uint64, len(fields))
	for i, f := range fields {
		n, err := strconv.ParseUint(f, base, 64)
		if err != nil {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// columns reads which CPU each column of a table is of, from its first line:
// "CPU0 CPU2". CPUs that are not there have none.
func columns(line string) []int {
	var out []int
	for _, f := range strings.Fields(line) {
		n, err := strconv.Atoi(strings.TrimPrefix(f, "CPU"))
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// cut is a text cut short, for errors.
func cut(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 60 {
		return text[:60] + "..."
	}
	return text
}
