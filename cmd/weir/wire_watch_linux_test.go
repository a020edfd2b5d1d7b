package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/frame"
)

// watchWires captures what passes all interfaces of the namespace that the test runs
// in. The function that it returns ends that, and says how many frames there were
// and which of them are weir's: with an Ethernet address as its labs have them, or
// with an address of a network for benchmarks.
func watchWires(t *testing.T) (end func() (seen int, ours []string)) {
	t.Helper()
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in the network's order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100_000}); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	seen, ours := 0, []string(nil)
	go func() {
		defer close(done)
		defer unix.Close(fd)
		b := make([]byte, 2048)
		for {
			n, _, err := unix.Recvfrom(fd, b, 0)
			select {
			case <-stop:
				if err != nil || n < 0 {
					return // and not before the socket is empty
				}
			default:
			}
			if err != nil {
				if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
					return
				}
				continue
			}
			seen++
			if what := ofWeir(b[:n]); what != "" && len(ours) < 10 {
				ours = append(ours, what)
			}
		}
	}()
	return func() (int, []string) {
		close(stop)
		<-done
		return seen, ours
	}
}

// ofWeir says what of a frame is weir's; "": nothing.
func ofWeir(b []byte) string {
	if len(b) < 14 {
		return ""
	}
	for _, at := range []int{0, 6} {
		if bytes.HasPrefix(b[at:], []byte{0x02, 0x77, 0x65}) {
			return fmt.Sprintf("a frame of %s", net.HardwareAddr(b[at:at+6]))
		}
	}
	var addresses []netip.Addr
	switch kind := binary.BigEndian.Uint16(b[12:]); {
	case kind == unix.ETH_P_IP && len(b) >= 34:
		addresses = []netip.Addr{netip.AddrFrom4([4]byte(b[26:])), netip.AddrFrom4([4]byte(b[30:]))}
	case kind == unix.ETH_P_IPV6 && len(b) >= 54:
		addresses = []netip.Addr{netip.AddrFrom16([16]byte(b[22:])), netip.AddrFrom16([16]byte(b[38:]))}
	}
	for _, a := range addresses {
		if frame.TestNetwork(a) {
			return fmt.Sprintf("a packet of %s", a)
		}
	}
	return ""
}

// marker sends a datagram over the loopback interface, which whoever watches sees.
func marker(t *testing.T) {
	t.Helper()
	c, err := net.Dial("udp", "127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte("marker")) // nobody listens
	time.Sleep(10 * time.Millisecond)
}

func TestOfWeir(t *testing.T) {
	ip4 := append(make([]byte, 12), 8, 0)
	ip4 = append(ip4, make([]byte, 20)...)
	for at, want := range map[int]string{0: "", 26: "a packet of 198.18.0.2", 30: "a packet of 198.18.0.2"} {
		b := append([]byte(nil), ip4...)
		if at > 0 {
			copy(b[at:], []byte{198, 18, 0, 2})
		}
		if got := ofWeir(b); got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
	if got := ofWeir(append([]byte{2, 0x77, 0x65, 0xaa, 0, 1}, make([]byte, 20)...)); got != "a frame of 02:77:65:aa:00:01" {
		t.Error(got)
	}
}
