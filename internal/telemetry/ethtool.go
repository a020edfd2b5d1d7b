package telemetry

import (
	"fmt"
	"strconv"
	"strings"

	"weir"
)

// ethtoolSource is what the drivers of real ports count. A virtual port is not
// asked: running a program for each trial costs more than what it would say.
var ethtoolSource = Source{
	Name:    "ethtool",
	Summary: "what the driver of each real port counts (ethtool -S)",
	wants: func(what Subject) (w wants) {
		for _, p := range what.Ports {
			w.commands = append(w.commands, ethtool(p))
		}
		return w
	},
	parse: parseEthtool,
}

func ethtool(p weir.Port) command {
	return command{argv: []string{"ethtool", "-S", p.DUT}, where: "/sys/class/net/" + p.DUT + "/device"}
}

func parseEthtool(what Subject, a answers) (out []sample, err error) {
	for i, p := range what.Ports {
		for line := range strings.Lines(a.texts[ethtool(p).key()]) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				continue // a heading, or what is no counter
			}
			s := sample{name: fmt.Sprintf("port %d %s", i, name), unit: "count", count: n}
			if strings.HasSuffix(name, "bytes") || strings.HasSuffix(name, "octets") {
				s.unit = "octets"
			}
			out = append(out, s)
		}
	}
	return out, nil
}
