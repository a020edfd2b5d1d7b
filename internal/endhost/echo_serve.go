//go:build unix

package endhost

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"

	"golang.org/x/sys/unix"

	"weir"
)

// serveEchoes is the role "echo-serve": it sends back what comes, in datagrams
// that are as large as was asked for and are not fragmented.
func serveEchoes(ctx context.Context, l Listen) (Listening, func() error, error) {
	fd, err := udpSocket(netip.AddrPortFrom(l.Address, uint16(l.Port)), netip.AddrPort{}, 0)
	if err != nil {
		return Listening{}, nil, fmt.Errorf("serve UDP at %s, port %d: %w", l.Address, l.Port, err)
	}
	own, err := localAddr(fd)
	if err = errors.Join(err, forbidFragments(fd, familyOf(l.Address))); err != nil {
		unix.Close(fd)
		return Listening{}, nil, err
	}
	return Listening{own.Port()}, func() error {
		defer unix.Close(fd)
		return sendBack(ctx, fd)
	}, nil
}

// sendBack serves until ctx ends.
func sendBack(ctx context.Context, fd int) error {
	raisePriority()
	buffer, control := make([]byte, maxPayload), make([]byte, 128)
	for ctx.Err() == nil {
		n, c, _, from, err := unix.Recvmsg(fd, buffer, control, 0)
		if err != nil {
			if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) || errors.Is(err, unix.EMSGSIZE) || errors.Is(err, unix.ECONNREFUSED) {
				continue
			}
			return fmt.Errorf("wait for an echo: %w", err)
		}
		e, ok := echoOf(buffer[:n])
		if !ok {
			continue
		}
		e.Got, e.Fragment = uint32(n), fragmentOf(control[:c])
		wanted := min(max(int(e.Answer), echoSize), maxPayload)
		e.put(buffer)
		if errors.Is(unix.Sendto(fd, buffer[:wanted], 0, from), unix.EMSGSIZE) {
			e.Refused = 1
			e.put(buffer)
			unix.Sendto(fd, buffer[:echoSize], 0, from)
		}
	}
	return nil
}

func familyOf(a netip.Addr) weir.Family {
	if a.Is4() {
		return weir.IPv4
	}
	return weir.IPv6
}

// raisePriority has the calling thread run before others, so that the times that it
// takes are those of the path, and not of the programs that load it. Without the
// right to that, the thread runs as they do.
func raisePriority() {
	runtime.LockOSThread()
	unix.Setpriority(unix.PRIO_PROCESS, 0, -20)
}
