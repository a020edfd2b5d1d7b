//go:build pppd

package lab

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"golang.org/x/sys/unix"

	"weir/internal/pppoe"
)

// pppdCapture has all frames that pass the cable, in a file.
type pppdCapture struct {
	file string
	end  func() error
}

// capture begins one at the cable's near end.
func (c *pppdCable) capture(t *testing.T, is pppdCase) *pppdCapture {
	t.Helper()
	p := &pppdCapture{file: filepath.Join(c.keep, is.String()+".pcap")}
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in the network's order
	socket := -1
	err := c.taps.Space.Do(func() error {
		port, err := net.InterfaceByName(c.taps.Names[0])
		if err != nil {
			return err
		}
		if socket, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		return errors.Join(unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 50_000}),
			unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: all, Ifindex: port.Index}))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(p.file)
	if err != nil {
		t.Fatal(err)
	}
	quit, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- errors.Join(writeFrames(f, socket, quit), f.Close(), unix.Close(socket)) }()
	p.end = sync.OnceValue(func() error {
		close(quit)
		return <-done
	})
	t.Cleanup(func() { p.end() }) // also where the session has failed
	return p
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
		}
		select {
		case <-quit:
			return put(pppdBroken)
		default:
		}
	}
}

// pppdBroken is a packet of LCP that is cut: what dissectors have to find, so that they
// would find others.
var pppdBroken = pppoe.Frame{Dst: pppoe.MAC{2, 0, 0, 0, 0, 1}, Src: pppoe.MAC{2, 0, 0, 0, 0, 2}, ID: 1, Payload: []byte{0xc0, 0x21, 9, 1, 0, 8, 1, 2}}.Append(nil)

// dissect ends the capture, and has tshark find each step of the session, and nothing
// malformed.
func (p *pppdCapture) dissect(t *testing.T, is pppdCase) {
	t.Helper()
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	fields := []string{"_ws.malformed", "pppoe.code", "chap.code", "pap.code", "icmp.type", "icmpv6.type", "frame.protocols", "pppoed.tags.max_payload", "frame.number"}
	args := []string{"-n", "-r", p.file, "-T", "fields"}
	for _, name := range fields {
		args = append(args, "-e", name)
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	found := make(map[string]int) // how many frames have a field, and a field with a value
	var malformed []string
	for line := range strings.Lines(string(out)) {
		values := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if values[0] != "" {
			malformed = append(malformed, values[len(values)-1])
		}
		for i, value := range values {
			if value != "" {
				found[fields[i]]++
				found[fields[i]+" "+value]++
			}
		}
	}
	if last := strconv.Itoa(found["frame.number"]); !slices.Equal(malformed, []string{last}) {
		t.Errorf("of %s frames of %s these are malformed: %v, and not the last alone", last, p.file, malformed)
	}
	wanted := []string{"pppoe.code 0x09", "pppoe.code 0x07", "pppoe.code 0x19", "pppoe.code 0x65", "pppoe.code 0xa7", "pppoe.code 0x00"}
	use := []string{"icmp.type 8", "icmp.type 0", "icmpv6.type 128", "icmpv6.type 129", "frame.protocols eth:ethertype:pppoes:ppp:ipcp", "frame.protocols eth:ethertype:pppoes:ppp:ipv6cp"}
	said := map[string][2]string{"chap": {"chap.code 3", "chap.code 4"}, "pap": {"pap.code 2", "pap.code 3"}}[is.proof]
	var none []string
	if is.wrong {
		wanted, none = append(wanted, said[1]), append(use, said[0])
	} else {
		wanted, none = append(append(wanted, use...), said[0]), []string{said[1]}
	}
	if large := "pppoed.tags.max_payload"; is.mtu > 1492 {
		wanted = append(wanted, large)
	} else {
		none = append(none, large)
	}
	for _, what := range wanted {
		if found[what] == 0 {
			t.Errorf("no frame of %s has %s", p.file, what)
		}
	}
	for _, what := range none {
		if found[what] > 0 {
			t.Errorf("%d frames of %s have %s", found[what], p.file, what)
		}
	}
}
