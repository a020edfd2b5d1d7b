package endhost

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/pppoe"
)

// What the kernel hands over as one, of TCP and of UDP, is on the wire in frames that are as
// long as the session carries, each with lengths and checksums of its own; what comes in
// segments of one connection is one to the kernel again. No octet differs.
func TestAccessWhole(t *testing.T) {
	t.Parallel()
	near, far := accessLine(t, 1500)
	concentrator := startConcentrator(t, far, nil)
	client, s, err := startClient(t, near, "ppp0", "bob", "other", nil)
	if err != nil {
		t.Fatal(err)
	}
	addressAccess(t, near, far, int(s.MRU))
	frames := sessionFrames(t, far)
	const size = 2 << 20
	for _, server := range []string{"10.0.0.1", "fd00::1"} {
		at := netip.MustParseAddr(server)
		echoed(t, near, far, at, size)
		segmented(t, near, far, at)
	}
	seen := 0
	for seen < 4*size/1432 {
		frame, err := frames()
		if err != nil {
			t.Fatal(err)
		}
		if frame != nil {
			seen++
			soundFrame(t, frame, int(s.MRU))
		}
	}
	a, b := countsOf(t, client), countsOf(t, concentrator)
	for h, c := range map[*inside]AccessCounts{&near: a, &far: b} {
		if into, out := h.packets(t, "tx"), h.packets(t, "rx"); into >= c.Sent || out >= c.Received {
			t.Errorf("the device had %d packets for %d frames, and %d of %d", into, c.Sent, out, c.Received)
		}
	}
}

// packets is what the kernel has counted at a session's device.
func (h inside) packets(t *testing.T, way string) (n uint64) {
	t.Helper()
	err := h.ns.Do(func() error {
		said, err := os.ReadFile("/proc/net/dev")
		for line := range strings.Lines(string(said)) {
			if fields := strings.Fields(line); fields[0] == "ppp0:" {
				n, err = strconv.ParseUint(fields[map[string]int{"rx": 2, "tx": 10}[way]], 10, 64)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// echoed sends octets by TCP to a server that sends them back.
func echoed(t *testing.T, near, far inside, at netip.Addr, size int) {
	t.Helper()
	var l *net.TCPListener
	var c *net.TCPConn
	err := far.ns.Do(func() (err error) {
		l, err = net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			got, _ := io.ReadAll(c)
			c.Write(got)
			c.Close()
		}
	}()
	err = near.ns.Do(func() (err error) {
		c, err = net.DialTCP("tcp", nil, l.Addr().(*net.TCPAddr))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sent := make([]byte, size)
	rand.NewChaCha8([32]byte{1}).Read(sent)
	var got []byte
	if _, err = c.Write(sent); err == nil {
		err = c.CloseWrite()
	}
	if err == nil {
		got, err = io.ReadAll(c)
	}
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%v: of %d octets %d came back, %v", at, size, len(got), err)
	}
}

// segmented sends a datagram of UDP that the kernel is to cut.
func segmented(t *testing.T, near, far inside, at netip.Addr) {
	t.Helper()
	var to, from *net.UDPConn
	err := far.ns.Do(func() (err error) {
		to, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	err = near.ns.Do(func() (err error) {
		from, err = net.DialUDP("udp", nil, to.LocalAddr().(*net.UDPAddr))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	raw, err := from.SyscallConn()
	if err == nil {
		raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT, 1000) })
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Write(make([]byte, 2500)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1000, 1000, 500} {
		if n, err := to.Read(make([]byte, 3000)); n != want || err != nil {
			t.Errorf("%v: a datagram of %d octets came, want %d; %v", at, n, want, err)
		}
	}
}

// sessionFrames captures frames with datagrams, both ways, from now on; next is nil where
// there is none yet.
func sessionFrames(t *testing.T, at inside) (next func() ([]byte, error)) {
	t.Helper()
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in the network's order
	fd := -1
	err := at.ns.Do(func() (err error) {
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		port, err := net.InterfaceByName("far")
		if err != nil {
			return err
		}
		return errors.Join(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 128<<20),
			unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 50_000}),
			unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: port.Index}))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	b := make([]byte, 1<<17)
	return func() ([]byte, error) {
		n, _, err := unix.Recvfrom(fd, b, 0)
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			return nil, nil
		case err != nil:
			return nil, err
		}
		f, err := pppoe.DecodeFrame(b[:n])
		if err != nil || f.Code != pppoe.Session || f.Payload[0] != 0 { // PPP's own protocols are above 0x8000
			return nil, nil
		}
		return b[:n], nil
	}
}

// soundFrame looks at the lengths and checksums of a frame with a datagram.
func soundFrame(t *testing.T, frame []byte, mtu int) {
	t.Helper()
	f, err := pppoe.DecodeFrame(frame)
	datagram := f.Payload[2:]
	if err != nil || len(frame) != pppoe.Before+len(datagram) || len(datagram) > mtu {
		t.Fatalf("a frame of %d octets has a datagram of %d, %v", len(frame), len(datagram), err)
	}
	var inner, addresses []byte
	var proto byte
	switch datagram[0] >> 4 {
	case 4:
		if sum := onesSum(datagram[:20], 0); int(binary.BigEndian.Uint16(datagram[2:])) != len(datagram) || sum != 0xffff {
			t.Fatalf("a header of IPv4 sums to %#x: % x", sum, datagram[:20])
		}
		addresses, inner, proto = datagram[12:20], datagram[20:], datagram[9]
	case 6:
		if int(binary.BigEndian.Uint16(datagram[4:])) != len(datagram)-40 {
			t.Fatalf("a length in a header of IPv6: % x", datagram[:40])
		}
		addresses, inner, proto = datagram[8:40], datagram[40:], datagram[6]
	default:
		t.Fatalf("no datagram: % x", datagram)
	}
	if proto != unix.IPPROTO_TCP && proto != unix.IPPROTO_UDP {
		return
	}
	if sum := onesSum(inner, onesSum(addresses, uint32(proto)+uint32(len(inner)))); sum != 0xffff {
		t.Fatalf("protocol %d with %d octets sums to %#x", proto, len(inner), sum)
	}
}

// onesSum adds 16 bits at a time as RFC 1071 does, without the complement at its end.
func onesSum(b []byte, sum uint32) uint32 {
	for i, octet := range b {
		sum += uint32(octet) << (8 - 8*(i%2))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return sum
}
