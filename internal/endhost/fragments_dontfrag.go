//go:build darwin || freebsd

package endhost

import "golang.org/x/sys/unix"

// dontFragment is the option of a socket for IPv4: ip(4).
const dontFragment = unix.IP_DONTFRAG
