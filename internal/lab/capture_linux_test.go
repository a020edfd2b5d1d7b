package lab

import (
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"golang.org/x/sys/unix"

	"weir/internal/pppoe"
)

// startCapture captures all frames that pass a port, in the network namespace where do does
// something, into a file. Until end is called: then all that had passed are there, and brokenFrame.
func startCapture(t *testing.T, do func(func() error) error, name, file string) (end func() error) {
	t.Helper()
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in the network's order
	socket := -1
	err := do(func() error {
		port, err := net.InterfaceByName(name)
		if err != nil {
			return err
		}
		if socket, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		return errors.Join(unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20),
			unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 50_000}),
			unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: all, Ifindex: port.Index}))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	quit, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- errors.Join(writeFrames(f, socket, quit), f.Close(), unix.Close(socket)) }()
	end = sync.OnceValue(func() error {
		close(quit)
		return <-done
	})
	t.Cleanup(func() { end() }) // also where the test has failed
	return end
}

// writeFrames writes frames until the capture is to end, and there are no more; then one
// that is broken.
func writeFrames(f *os.File, socket int, quit chan struct{}) error {
	w := pcapgo.NewWriter(f)
	if err := w.WriteFileHeader(1<<16, layers.LinkTypeEthernet); err != nil {
		return err
	}
	put := func(b []byte) error {
		return w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Now(), CaptureLength: len(b), Length: len(b)}, b)
	}
	ending := false
	for b := make([]byte, 1<<16); ; {
		n, _, err := unix.Recvfrom(socket, b, 0)
		switch {
		case err == nil:
			if err := put(b[:n]); err != nil {
				return err
			}
			continue
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EAGAIN):
			return err
		case ending:
			return put(brokenFrame)
		}
		select {
		case <-quit:
			ending = true // what came since the last look is still to be read
		default:
		}
	}
}

// brokenFrame is a packet of LCP that is cut: what dissectors have to find, so that they
// would find others.
var brokenFrame = pppoe.Frame{Dst: pppoe.MAC{2, 0, 0, 0, 0, 1}, Src: pppoe.MAC{2, 0, 0, 0, 0, 2}, ID: 1, Payload: []byte{0xc0, 0x21, 9, 1, 0, 8, 1, 2}}.Append(nil)
