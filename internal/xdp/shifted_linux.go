package xdp

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// shifted is by how much the time namespace of this process has its CLOCK_MONOTONIC ahead.
var shifted = sync.OnceValue(func() time.Duration {
	said, err := os.ReadFile("/proc/self/timens_offsets")
	if err != nil {
		return 0 // a kernel without time namespaces (before Linux 5.6)
	}
	return shiftOf(string(said))
})

// shiftOf reads the offsets of a time namespace: a clock, seconds and nanoseconds a line.
func shiftOf(said string) time.Duration {
	for line := range strings.Lines(said) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "monotonic" {
			seconds, _ := strconv.ParseInt(f[1], 10, 64)
			more, _ := strconv.ParseInt(f[2], 10, 64)
			return time.Duration(seconds)*time.Second + time.Duration(more)
		}
	}
	return 0
}
