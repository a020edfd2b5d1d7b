package wires

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"weir/frame"
)

// A Watch captures what passes all interfaces of a namespace.
type Watch struct {
	stop, done chan struct{}
	seen       int
	ours       []string
}

// mostTold is how many frames of weir's a Watch describes.
const mostTold = 10

// Begin watches the interfaces of the namespace that it is called in. It needs root.
func Begin() (*Watch, error) {
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in the network's order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all)
	if err != nil {
		return nil, fmt.Errorf("capture on all interfaces: %w", err)
	}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100_000}); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("capture on all interfaces: %w", err)
	}
	w := &Watch{stop: make(chan struct{}), done: make(chan struct{})}
	go w.read(fd)
	return w, mark()
}

// End says which frames were weir's: with an Ethernet address as its labs have them,
// or with an address of a network for benchmarks. It is an error when the capture did
// not see what it sent itself at its beginning and end.
func (w *Watch) End() (ours []string, err error) {
	err = mark()
	close(w.stop)
	<-w.done
	if err == nil && w.seen < 2 {
		err = errors.New("the capture on all interfaces saw nothing, not even its own marks")
	}
	return w.ours, err
}

func (w *Watch) read(fd int) {
	defer close(w.done)
	defer unix.Close(fd)
	b := make([]byte, 2048)
	for {
		n, _, err := unix.Recvfrom(fd, b, 0)
		select {
		case <-w.stop:
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
		w.seen++
		if what := ofWeir(b[:n]); what != "" && len(w.ours) < mostTold {
			w.ours = append(w.ours, what)
		}
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

// mark sends a datagram over the loopback interface, which a capture sees.
func mark() error {
	c, err := net.Dial("udp", "127.0.0.1:9")
	if err != nil {
		return err
	}
	defer c.Close()
	_, _ = c.Write([]byte("mark")) // nobody listens
	time.Sleep(10 * time.Millisecond)
	return nil
}
