package main

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed restored.sh
var restoredScript string

// restored kills campaigns at random moments, and looks whether ports, boxes and what else
// a machine has are as before once `weir lab restore` was called. before are words before
// the script's, after are those of its arguments that come last.
func restored(group, name, plan string, before []string, after ...string) promise {
	const each = 30 * time.Second
	return promise{
		group: group,
		name:  "SIGKILL and Ctrl-C at random moments: " + name,
		asked: "links, addresses, routes, firewall, sysctls, ethtool's settings, interrupts, processes: all as before; the ports are taken in half of the moments",
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			weir, err := filepath.Abs(s.weir)
			if err != nil {
				return "", false, err
			}
			file, remove, err := written(plan)
			if err != nil {
				return "", false, err
			}
			defer remove()
			n := s.often(63) // 50 of them SIGKILL
			argv := slices.Concat(before, []string{"sh", "-c", restoredScript, "restored.sh", weir, strconv.Itoa(s.from), strconv.Itoa(n), file}, after)
			said, err := program(ctx, time.Duration(n)*each, argv[0], argv[1:]...)
			as, taken := 0, 0
			for line := range strings.Lines(string(said)) {
				if _, rest, _ := strings.Cut(line, " "); strings.HasPrefix(rest, "taken") {
					taken++
				}
				if strings.HasSuffix(strings.TrimSpace(line), ", as before") {
					as++
				} else {
					s.say("kill %s", strings.TrimSpace(line))
				}
			}
			steps := strings.Count(string(said), ", restored in two steps")
			return fmt.Sprintf("%d of %d as before (kills %d to %d), the ports being taken in %d of these moments, %d by a second restore", as, n, s.from, s.from+n-1, taken, steps),
				as == n && 2*taken >= n && err == nil, err
		},
	}
}
