package endhost

import (
	"context"
	"encoding/binary"
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
	fd, err := udpSocket(netip.AddrPortFrom(l.Address, uint16(l.Port)), netip.AddrPort{}, false)
	if err != nil {
		return Listening{}, nil, fmt.Errorf("serve UDP at %s, port %d: %w", l.Address, l.Port, err)
	}
	own, err := localAddr(fd)
	if err = errors.Join(err, forbidFragments(fd, l.Address)); err != nil {
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

// forbidFragments has a socket send packets that must not be fragmented, as large
// as the port takes whatever is known of the path, and say of those that it
// receives whether they were.
func forbidFragments(fd int, a netip.Addr) error {
	err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
	tell := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_RECVFRAGSIZE, 1)
	if familyOf(a) == weir.IPv6 {
		err = errors.Join(
			unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE),
			unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_DONTFRAG, 1))
		tell = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_RECVFRAGSIZE, 1)
	}
	if err := errors.Join(err, tell); err != nil {
		return fmt.Errorf("forbid fragments: %w", err)
	}
	return nil
}

func familyOf(a netip.Addr) weir.Family {
	if a.Is4() {
		return weir.IPv4
	}
	return weir.IPv6
}

// fragmentOf is the size of the largest fragment that a datagram came in, which
// the kernel says beside it; 0: it came as a whole.
func fragmentOf(control []byte) uint32 {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0
	}
	for _, m := range messages {
		v4 := m.Header.Level == unix.IPPROTO_IP && m.Header.Type == unix.IP_RECVFRAGSIZE
		v6 := m.Header.Level == unix.IPPROTO_IPV6 && m.Header.Type == unix.IPV6_RECVFRAGSIZE
		if (v4 || v6) && len(m.Data) >= 4 {
			return binary.NativeEndian.Uint32(m.Data)
		}
	}
	return 0
}

// raisePriority has the calling thread run before others, so that the times that it
// takes are those of the path, and not of the programs that load it. Without the
// right to that, the thread runs as they do.
func raisePriority() {
	runtime.LockOSThread()
	unix.Setpriority(unix.PRIO_PROCESS, 0, -20)
}
