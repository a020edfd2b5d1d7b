package frame

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"weir"
	"weir/internal/infile"
)

// Limits of what is replayed from a capture.
const (
	MaxReplayFrames           = 4096
	MaxReplaySize   weir.Size = 3400 // octets with FCS: what live frames carry
)

// Capture is what a capture file holds that can be sent.
type Capture struct {
	File   string
	SHA256 string         // of the file, in hexadecimal digits
	Left   map[string]int // frames that are left out, by the reason

	kinds []*Kind // a frame each, with the Ethernet addresses of the capture
}

// largestCapture is how many octets of a capture are read.
const largestCapture = 1 << 30

// ReadCapture reads the frames of a pcap or pcapng file that can be sent as
// test frames, at most MaxReplayFrames: whole Ethernet frames of MaxReplaySize
// at most with IP packets to one node that a router may forward, not
// fragmented, with UDP or TCP and room for a signature. The others are left
// out and counted. It is an error when the file cannot be read, is no capture
// of an Ethernet, or has no frame that can be sent.
func ReadCapture(file string) (*Capture, error) {
	f, err := infile.Open(file, largestCapture)
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	c := &Capture{File: file, Left: make(map[string]int)}
	all := io.TeeReader(f, hash)
	if err := c.read(all); err != nil {
		return nil, fmt.Errorf("capture %s %w", file, err)
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	c.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return c, nil
}

// read reads the frames. Its errors go on after the name of the file.
func (c *Capture) read(r io.Reader) error {
	packets, err := packetsOf(bufio.NewReader(r))
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		frame, info, err := packets.ReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("breaks off in frame %d: %w", n, err)
		}
		c.add(frame, info)
	}
	if len(c.kinds) == 0 {
		return fmt.Errorf("has no frame that can be sent: %s", c.Reasons())
	}
	return nil
}

// packetsOf tells the formats apart by the number that they begin with.
func packetsOf(r *bufio.Reader) (gopacket.PacketDataSource, error) {
	start, err := r.Peek(4)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("is no capture: it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	var packets interface {
		gopacket.PacketDataSource
		LinkType() layers.LinkType
	}
	const section = 0x0a0d0d0a
	if binary.BigEndian.Uint32(start) == section {
		packets, err = pcapgo.NewNgReader(r, pcapgo.DefaultNgReaderOptions)
	} else {
		packets, err = pcapgo.NewReader(r)
	}
	if err != nil {
		return nil, fmt.Errorf("is neither pcap nor pcapng (%w): record one with tcpdump -w or dumpcap", err)
	}
	if l := packets.LinkType(); l != layers.LinkTypeEthernet {
		return nil, fmt.Errorf("was not taken from an Ethernet but from %v: its frames cannot be sent through Ethernet ports", l)
	}
	return packets, nil
}

func (c *Capture) add(frame []byte, info gopacket.CaptureInfo) {
	k, reason := capturedKind(frame)
	switch {
	case info.CaptureLength < info.Length:
		reason = "cut short when they were captured"
	case reason == "" && len(c.kinds) == MaxReplayFrames:
		reason = fmt.Sprintf("after the first %d", MaxReplayFrames)
	}
	if reason != "" {
		c.Left[reason]++
		return
	}
	c.kinds = append(c.kinds, k)
}

// Frames is how many frames can be sent.
func (c *Capture) Frames() int { return len(c.kinds) }

// Sizes are the sizes of the frames that can be sent, in the order of the file.
func (c *Capture) Sizes() []weir.Size {
	sizes := make([]weir.Size, len(c.kinds))
	for i, k := range c.kinds {
		sizes[i] = weir.Size(k.Sizes[0].Frame + FCS)
	}
	return sizes
}

// Destinations are the distinct addresses that the frames go to, sorted.
func (c *Capture) Destinations() []netip.Addr {
	all := make([]netip.Addr, len(c.kinds))
	for i, k := range c.kinds {
		if all[i] = netip.AddrFrom16(k.Flows[0].Destination); !k.IPv6 {
			all[i] = netip.AddrFrom4([4]byte(k.Flows[0].Destination[:4]))
		}
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

// Replay is what a traffic says of the capture; its sizes are Sizes.
func (c *Capture) Replay() *weir.Replay {
	r := &weir.Replay{File: c.File, SHA256: c.SHA256, Frames: c.Frames()}
	for _, n := range c.Left {
		r.Left += n
	}
	return r
}

// Reasons says for people which frames are left out: "12 not IP, 3 fragments".
func (c *Capture) Reasons() string {
	var parts []string
	for reason, n := range c.Left {
		parts = append(parts, fmt.Sprintf("%d %s", n, reason))
	}
	if len(parts) == 0 {
		return "there are none"
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
