//go:build unix

package endhost

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir"
)

// kernel is what the roles have of a system.
type kernel struct {
	share     int                                                       // the option with which sockets share an address
	tcp       func(fd int, s Streams) stream                            // a stream on a socket that is connected
	datagrams func(size int) datagrams                                  // room for some of a size
	reach     func(fd int, to unix.Sockaddr, limit time.Duration) error // connects a socket that waits for so long at most
	mtu       func(fd int, f weir.Family) (int, error)                  // of the path of a socket that is connected
	whole     func(fd int, f weir.Family, large bool) error             // has it send datagrams whole, but for those too large for that
	room      func(fd int) error                                        // for what has arrived and is not taken yet
	drops     func(fd int) (dropped uint32, told bool, err error)       // how much found no room
}

// datagrams are buffers for some of them, which go to a socket or come from it at once.
type datagrams struct {
	buffers [][]byte
	octets  func(i int) int                 // of one that has come
	send    func(fd, n int) (int, error)    // the first n; an error is that of the first one that was not taken, when none was
	receive func(fd int) (n int, err error) // waits for one, and takes those that are there with it
}

// plain is what every system has. weir's own tests run it on Linux.
var plain = kernel{
	share:     unix.SO_REUSEPORT,
	tcp:       plainTCP,
	datagrams: oneDatagram,
	reach:     plainReach,
	mtu:       func(fd int, _ weir.Family) (int, error) { return portMTU(fd) },
	whole: func(fd int, f weir.Family, large bool) error {
		if large {
			return nil
		}
		return forbidFragments(fd, f)
	},
	room:  plainRoom,
	drops: func(int) (uint32, bool, error) { return 0, false, nil },
}

// oneDatagram is room for one at a time.
func oneDatagram(size int) datagrams {
	buffer, came := make([]byte, size), 0
	return datagrams{
		buffers: [][]byte{buffer},
		octets:  func(int) int { return came },
		send: func(fd, _ int) (int, error) {
			if _, err := unix.Write(fd, buffer); err != nil {
				return 0, err
			}
			return 1, nil
		},
		receive: func(fd int) (n int, err error) {
			if came, err = unix.Read(fd, buffer); err != nil {
				return 0, err
			}
			return 1, nil
		},
	}
}

// plainReach waits for a connection by poll(2): the limit of a socket is not one for that
// everywhere.
func plainReach(fd int, to unix.Sockaddr, limit time.Duration) error {
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	end := time.Now().Add(limit)
	err := unix.Connect(fd, to)
	for errors.Is(err, unix.EINPROGRESS) || errors.Is(err, unix.EINTR) {
		ready, failed := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(max(0, time.Until(end).Milliseconds())))
		switch {
		case ready > 0:
			var errno int
			if errno, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && errno != 0 {
				err = syscall.Errno(errno)
			}
		case !time.Now().Before(end):
			err = unix.ETIMEDOUT
		case failed != nil:
			err = failed // EINTR goes on waiting
		}
	}
	if err != nil {
		return err
	}
	return unix.SetNonblock(fd, false)
}

// plainRoom asks for less where a system does not give so much.
func plainRoom(fd int) (err error) {
	for size := receiveBuffer; size >= 64<<10; size /= 2 {
		if err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, size); err == nil {
			return nil
		}
	}
	return fmt.Errorf("ask for room for what arrives: %w", err)
}

// portMTU is the MTU of the port through which the packets of a socket leave.
func portMTU(fd int) (int, error) {
	own, err := localAddr(fd)
	if err != nil {
		return 0, err
	}
	ports, err := net.Interfaces()
	if err != nil {
		return 0, err
	}
	for _, port := range ports {
		addresses, err := port.Addrs()
		if err != nil {
			return 0, err
		}
		for _, a := range addresses {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr() == own.Addr() {
				return port.MTU, nil
			}
		}
	}
	return 0, fmt.Errorf("no port has the address %s", own.Addr())
}
