package workload

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weir/internal/service"
)

// awaitListening returns when a service listens on a port of TCP. That another
// program does is not enough: it is asked whose the socket is.
func awaitListening(ctx context.Context, s *service.Service, port int) error {
	return s.Await(ctx, listenLimit, func(ctx context.Context) error {
		// A process that ends meanwhile has none of these any more.
		of, err := s.At.Host.Run(ctx, "", "sh", "-c", `readlink "$0"/*; :`, fmt.Sprintf("/proc/%d/fd", s.PID()))
		if err != nil {
			return err
		}
		for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			text, err := s.At.Host.ReadFile(ctx, table)
			if err != nil {
				continue // a kernel without IPv6 has no tcp6
			}
			for _, inode := range listening(text, port) {
				if strings.Contains(of, "socket:["+inode+"]") {
					return nil
				}
			}
		}
		return fmt.Errorf("it does not listen on port %d", port)
	})
}

// listening are the inodes of the sockets that listen on a port, in a table
// such as /proc/net/tcp.
func listening(table string, port int) []string {
	const state = "0A" // TCP_LISTEN
	var out []string
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != state {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		if p, err := strconv.ParseUint(hex, 16, 16); err == nil && int(p) == port {
			out = append(out, f[9])
		}
	}
	return out
}
