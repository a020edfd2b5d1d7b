package main

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed restored.sh
var restoredScript string

// restored kills campaigns at ports at random moments, and looks whether the ports and
// what else a machine has are as before once `weir lab restore` was called.
func restored() promise {
	const each = 30 * time.Second
	return promise{
		group: "boxes",
		name:  "SIGKILL and Ctrl-C at ports, at random moments",
		asked: "links, addresses, routes, sysctls, ethtool's settings, interrupts: all as before",
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			weir, err := filepath.Abs(s.weir)
			if err != nil {
				return "", false, err
			}
			n := s.often(50)
			said, err := program(ctx, time.Duration(n)*each, "unshare", "--net", "--mount", "sh", "-c", restoredScript, "restored.sh",
				weir, strconv.Itoa(s.from), strconv.Itoa(n), boxScript, filepath.Join("examples", "box.yaml"))
			as := 0
			for line := range strings.Lines(string(said)) {
				if strings.HasSuffix(strings.TrimSpace(line), "as before") {
					as++
				} else {
					s.say("kill %s", strings.TrimSpace(line))
				}
			}
			return fmt.Sprintf("%d of %d as before (kills %d to %d)", as, n, s.from, s.from+n-1), as == n && err == nil, err
		},
	}
}
