//go:build unix && !linux

package endhost

import (
	"fmt"

	"golang.org/x/sys/unix"

	"weir"
)

// forbidFragments has a socket send packets that must not be fragmented, where the system
// can: as their manuals have it, and run by no test of weir's. See Systems.
func forbidFragments(fd int, f weir.Family) error {
	level, option := unix.IPPROTO_IPV6, unix.IPV6_DONTFRAG
	if f == weir.IPv4 {
		level, option = unix.IPPROTO_IP, dontFragment
	}
	if option == 0 {
		return nil
	}
	if err := unix.SetsockoptInt(fd, level, option, 1); err != nil {
		return fmt.Errorf("forbid fragments: %w", err)
	}
	return nil
}

// fragmentOf is not known: the system does not say in what a datagram came.
func fragmentOf([]byte) uint32 { return 0 }
