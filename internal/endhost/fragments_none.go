//go:build unix && !(linux || darwin || freebsd)

package endhost

// dontFragment is the option of a socket for IPv4: there is none.
const dontFragment = 0
