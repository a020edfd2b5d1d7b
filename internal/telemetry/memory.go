package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weir"
)

// ReadAvailable reads how much memory a machine has left for new use without
// swapping, in octets.
func ReadAvailable(ctx context.Context, h weir.Host) (uint64, error) {
	text, err := h.ReadFile(ctx, "/proc/meminfo")
	if err != nil {
		return 0, err
	}
	return parseAvailable(text)
}

func parseAvailable(text string) (uint64, error) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "MemAvailable:" || f[2] != "kB" {
			continue
		}
		n, err := strconv.ParseUint(f[1], 10, 54)
		if err != nil {
			return 0, fmt.Errorf("/proc/meminfo: %w", err)
		}
		return n << 10, nil
	}
	return 0, fmt.Errorf("/proc/meminfo does not say how much memory is available")
}
