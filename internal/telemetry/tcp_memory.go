package telemetry

import (
	"context"
	"fmt"
	"strings"

	"weir"
)

// ReadTCPMemory reads what all sockets of TCP hold of the memory from which on the kernel makes
// their windows small (tcp_mem in tcp(7)), which all network namespaces of a machine share: 1 is all
// of it. It is 0 where the host does not say it, as in a namespace that is not the machine's first.
func ReadTCPMemory(ctx context.Context, h weir.Host) float64 {
	limits, err := h.ReadFile(ctx, "/proc/sys/net/ipv4/tcp_mem")
	if err != nil {
		return 0
	}
	sockets, err := h.ReadFile(ctx, "/proc/net/sockstat")
	if err != nil {
		return 0
	}
	return tcpMemory(limits, sockets)
}

func tcpMemory(limits, sockets string) float64 {
	var least, pressure, held float64 // pages
	if n, _ := fmt.Sscan(limits, &least, &pressure); n != 2 || pressure <= 0 {
		return 0
	}
	for line := range strings.Lines(sockets) {
		if of, ok := strings.CutPrefix(line, "TCP: "); ok {
			_, pages, _ := strings.Cut(of, " mem ")
			_, _ = fmt.Sscan(pages, &held)
		}
	}
	return held / pressure
}
