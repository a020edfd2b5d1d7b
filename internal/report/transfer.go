package report

import (
	"cmp"
	"strings"

	"weir/internal/figures"
)

// goods are what transfers are compared by, by the unit of their value.
var goods = map[string]string{"bit/s": "goodput", "transactions/s": "transaction rate", "connections/s": "connection rate", "sessions/s": "session rate", "s": "time"}

// goodOf is what a transfer is compared by: "netperf's goodput".
func goodOf(method, unit string) string {
	return figures.ProgramOf(method) + "'s " + cmp.Or(goods[unit], "value")
}

// armWords is an arm with its levels as people say them.
func armWords(arm string) string {
	parts := strings.Split(arm, ", ")
	for i, part := range parts {
		if name, level, ok := strings.Cut(part, " "); ok && (name == "mtu" || name == "server") {
			parts[i] = figures.LevelWords(name, level)
		}
	}
	return strings.Join(parts, ", ")
}
