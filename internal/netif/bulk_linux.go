package netif

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// RouteProtocol marks the routes of AddRoutes, as a routing daemon marks its
// own (rtnetlink(7), rtm_protocol).
const RouteProtocol = 199

// How routes are sent to the kernel: so many in one system call, of which the
// last alone is acknowledged. Failed ones are reported in any case, and there
// is room for so many reports.
const (
	routeBatch   = 4096
	routeBuffers = 8 << 20 // octets, of either direction
)

// AddRoutes adds a route to each prefix through a port of the calling thread's
// namespace, to the neighbour via. Prefixes and via are of one family. One that
// is there already is an error; those before it stay, for DeleteRoutes.
func AddRoutes(ctx context.Context, name string, via netip.Addr, prefixes []netip.Prefix) error {
	err := sendRoutes(ctx, name, via, prefixes, unix.RTM_NEWROUTE, unix.NLM_F_CREATE|unix.NLM_F_EXCL, 0)
	if err != nil {
		return fmt.Errorf("add %d routes through %s: %w", len(prefixes), name, err)
	}
	return nil
}

// DeleteRoutes undoes AddRoutes; it is no error when some are gone already.
func DeleteRoutes(ctx context.Context, name string, via netip.Addr, prefixes []netip.Prefix) error {
	err := sendRoutes(ctx, name, via, prefixes, unix.RTM_DELROUTE, 0, unix.ESRCH)
	if err != nil {
		return fmt.Errorf("delete %d routes through %s: %w", len(prefixes), name, err)
	}
	return nil
}

// sendRoutes sends one message for each prefix. The error of a message that is
// forgiven is none.
func sendRoutes(ctx context.Context, name string, via netip.Addr, prefixes []netip.Prefix, kind, flags uint16, forgiven unix.Errno) error {
	index, err := Index(name)
	if err != nil {
		return err
	}
	s, err := openRouteSocket()
	if err != nil {
		return err
	}
	defer s.close()
	var batch []byte
	for at := 0; at < len(prefixes); at += routeBatch {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := prefixes[at:min(at+routeBatch, len(prefixes))]
		batch = batch[:0]
		for i, p := range some {
			f := flags | unix.NLM_F_REQUEST
			if i == len(some)-1 {
				f |= unix.NLM_F_ACK
			}
			batch = appendRoute(batch, kind, f, uint32(at+i+1), p, via, index)
		}
		failed, errno, err := s.exchange(batch, uint32(at+len(some)), forgiven)
		if err != nil {
			return err
		}
		if errno != 0 {
			return fmt.Errorf("route to %v: %w", prefixes[failed-1], errno)
		}
	}
	return nil
}

// appendRoute appends a message of rtnetlink(7) with the sequence number seq.
func appendRoute(b []byte, kind, flags uint16, seq uint32, p netip.Prefix, via netip.Addr, index int) []byte {
	start := len(b)
	native := binary.NativeEndian
	b = append(b, make([]byte, unix.SizeofNlMsghdr)...)
	family := byte(unix.AF_INET)
	if p.Addr().Is6() {
		family = unix.AF_INET6
	}
	b = append(b, family, byte(p.Bits()), 0, 0, unix.RT_TABLE_MAIN, RouteProtocol, unix.RT_SCOPE_UNIVERSE, unix.RTN_UNICAST, 0, 0, 0, 0)
	b = appendAttr(b, unix.RTA_DST, p.Addr().AsSlice())
	b = appendAttr(b, unix.RTA_GATEWAY, via.AsSlice())
	b = appendAttr(b, unix.RTA_OIF, native.AppendUint32(nil, uint32(index)))
	header := b[start:]
	native.PutUint32(header, uint32(len(header)))
	native.PutUint16(header[4:], kind)
	native.PutUint16(header[6:], flags)
	native.PutUint32(header[8:], seq)
	return b
}

// appendAttr appends an attribute whose value fills whole words.
func appendAttr(b []byte, kind uint16, value []byte) []byte {
	b = binary.NativeEndian.AppendUint16(b, uint16(unix.SizeofRtAttr+len(value)))
	b = binary.NativeEndian.AppendUint16(b, kind)
	return append(b, value...)
}

// routeSocket speaks rtnetlink of the namespace that it was opened in.
type routeSocket struct {
	fd      int
	replies []byte
}

func openRouteSocket() (*routeSocket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open a netlink socket: %w", err)
	}
	s := &routeSocket{fd: fd, replies: make([]byte, 1<<16)}
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, routeBuffers),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, routeBuffers),
		unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1), // reports without the message that failed
		unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}),
	)
	if err != nil {
		s.close()
		return nil, fmt.Errorf("set a netlink socket up: %w", err)
	}
	return s, nil
}

func (s *routeSocket) close() { unix.Close(s.fd) }

// exchange sends a batch and reads the reports about it, until that of the
// message with the number last. It returns the number of the first message that
// failed, and why; 0 and 0 when none did.
func (s *routeSocket) exchange(batch []byte, last uint32, forgiven unix.Errno) (failed uint32, errno unix.Errno, err error) {
	if err := unix.Sendto(s.fd, batch, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, 0, fmt.Errorf("send to the kernel: %w", err)
	}
	for {
		n, _, err := unix.Recvfrom(s.fd, s.replies, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, 0, fmt.Errorf("read what the kernel says: %w", err)
		}
		for said := s.replies[:n]; len(said) >= unix.SizeofNlMsghdr+4; {
			length := int(binary.NativeEndian.Uint32(said))
			if length < unix.SizeofNlMsghdr || length > len(said) {
				break
			}
			if binary.NativeEndian.Uint16(said[4:]) == unix.NLMSG_ERROR {
				seq := binary.NativeEndian.Uint32(said[8:])
				no := unix.Errno(-int32(binary.NativeEndian.Uint32(said[unix.SizeofNlMsghdr:])))
				if no != 0 && no != forgiven && errno == 0 {
					failed, errno = seq, no
				}
				if seq == last {
					return failed, errno, nil
				}
			}
			said = said[min((length+3)&^3, len(said)):]
		}
	}
}
