package service

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weir"
)

// CountRoutes counts the routes in the forwarding table of a Linux host, its own
// addresses included. It reads the kernel's statistics, which takes
// milliseconds where a listing of the table would take seconds.
func CountRoutes(ctx context.Context, h weir.Host, family weir.Family) (int, error) {
	path, count := "/proc/net/fib_triestat", trieRoutes
	if family == weir.IPv6 {
		path, count = "/proc/net/rt6_stats", rt6Routes
	}
	text, err := h.ReadFile(ctx, path)
	if err != nil {
		return 0, fmt.Errorf("count the routes: %w", err)
	}
	n, err := count(text)
	if err != nil {
		return 0, fmt.Errorf("count the routes: %s: %w", path, err)
	}
	return n, nil
}

// trieRoutes reads what the kernel says of its main table of IPv4 routes: none
// when there is no such table yet.
func trieRoutes(text string) (int, error) {
	_, main, found := strings.Cut(text, "\nMain:")
	if !found {
		return 0, nil
	}
	for line := range strings.Lines(main) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "Prefixes:"); ok {
			return strconv.Atoi(strings.TrimSpace(value))
		}
	}
	return 0, fmt.Errorf("it has no line on prefixes")
}

// rt6Routes reads the number of IPv6 routes, the fourth of the kernel's numbers.
func rt6Routes(text string) (int, error) {
	f := strings.Fields(text)
	if len(f) < 4 {
		return 0, fmt.Errorf("it has %d numbers", len(f))
	}
	n, err := strconv.ParseUint(f[3], 16, 32)
	return int(n), err
}
