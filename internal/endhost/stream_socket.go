//go:build unix

package endhost

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// Streams run on plain sockets that block, each with a thread of its own: a
// program that does nothing else needs no more, and it is what costs the least.

// detach takes the socket out of a connection.
func detach(c *net.TCPConn) (int, error) {
	defer c.Close()
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd := -1
	var failed error
	err = raw.Control(func(own uintptr) { fd, failed = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) })
	if err := errors.Join(err, failed); err != nil {
		return -1, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// sockaddr is an address as the kernel has it.
func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	return &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
}

// socket is a socket of the family of an address. No program that is started has it.
func socket(of netip.Addr, kind int) (int, error) {
	domain := unix.AF_INET6
	if of.Is4() {
		domain = unix.AF_INET
	}
	fd, err := unix.Socket(domain, kind, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}

// udpSocket is a UDP socket that blocks for a while at most. It is bound to own
// and connected to other, each unless it is the zero address. Those that share
// an address are told apart by what they are connected to, and need an option for that.
func udpSocket(own, other netip.AddrPort, share int) (fd int, err error) {
	of := own.Addr()
	if !of.IsValid() {
		of = other.Addr()
	}
	fd, err = socket(of, unix.SOCK_DGRAM)
	if err != nil {
		return -1, err
	}
	if share != 0 {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, share, 1)
	}
	if err == nil && own.Addr().IsValid() {
		err = unix.Bind(fd, sockaddr(own))
	}
	if err == nil && other.Addr().IsValid() {
		err = unix.Connect(fd, sockaddr(other))
	}
	if err == nil {
		err = waitAtMost(fd, 100*time.Millisecond)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// waitAtMost limits how long a call waits for a socket.
func waitAtMost(fd int, limit time.Duration) error {
	t := unix.NsecToTimeval(limit.Nanoseconds())
	return errors.Join(unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &t))
}

// localAddr is the address and the port that a socket is bound to.
func localAddr(fd int) (netip.AddrPort, error) {
	a, err := unix.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}, err
	}
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port)), nil
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port)), nil
	}
	return netip.AddrPort{}, fmt.Errorf("a socket with the address %v", a)
}

// cpuTime is what this process has used of its CPUs.
func cpuTime() time.Duration {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// fillRandom fills a buffer with what does not compress.
func fillRandom(b []byte) { rand.NewChaCha8([32]byte{}).Read(b) }
