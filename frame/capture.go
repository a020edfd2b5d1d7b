package frame

import (
	"bufio"
	"cmp"
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
	SHA256 string        // of the file, in hexadecimal digits
	Left   []weir.Unsent // frames that are left out, by the reason, in its order

	kinds []*Kind // a frame each, with the Ethernet addresses of the capture
}

// largestCapture is how many octets of a capture are read.
const largestCapture = 1 << 30

// ReadCapture reads the frames of a pcap or pcapng file that can be sent as
// test frames, at most MaxReplayFrames: whole Ethernet frames of MaxReplaySize
// at most with IP packets to one node that a router may forward, not
// fragmented, with UDP or TCP and room for a signature. The others are left
// out and counted by the reason. It is an error when the file cannot be read, is
// no capture, or has no frame that can be sent.
func ReadCapture(file string) (*Capture, error) {
	f, err := infile.Open(file, largestCapture)
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	c := &Capture{File: file}
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
	packets, err := openPackets(bufio.NewReader(r))
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		p, err := packets()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("breaks off in frame %d: %w", n, err)
		}
		c.add(p)
	}
	if len(c.kinds) == 0 {
		return fmt.Errorf("has no frame that can be sent: %s", cmp.Or(c.Replay().WhyLeft(), "there are none"))
	}
	return nil
}

// packet is a frame as a file has it.
type packet struct {
	octets []byte
	link   layers.LinkType // what it was taken from
	cut    bool            // its end is not in the file
}

// openPackets tells the formats apart by the number that they begin with, and
// returns what reads the frames one by one, io.EOF at their end. A pcapng has
// frames of several interfaces, each with a link type of its own.
func openPackets(r *bufio.Reader) (func() (packet, error), error) {
	start, err := r.Peek(4)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("is no capture: it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	const section = 0x0a0d0d0a
	var packets gopacket.PacketDataSource
	var link func(gopacket.CaptureInfo) layers.LinkType
	if binary.BigEndian.Uint32(start) == section {
		packets, err = pcapgo.NewNgReader(r, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
		link = func(info gopacket.CaptureInfo) layers.LinkType { return info.AncillaryData[0].(layers.LinkType) }
	} else {
		var one *pcapgo.Reader
		one, err = pcapgo.NewReader(r)
		packets, link = one, func(gopacket.CaptureInfo) layers.LinkType { return one.LinkType() }
	}
	if err != nil {
		return nil, fmt.Errorf("is neither pcap nor pcapng (%w): record one with tcpdump -w or dumpcap", err)
	}
	return func() (packet, error) {
		octets, info, err := packets.ReadPacketData()
		if err != nil {
			return packet{}, err
		}
		return packet{octets, link(info), info.CaptureLength < info.Length}, nil
	}, nil
}

// linkNames are what people call the link types that captures of IP have beside Ethernet.
var linkNames = map[layers.LinkType]string{
	layers.LinkTypeNull:           "the loopback of a BSD",
	layers.LinkTypeLoop:           "the loopback of a BSD",
	layers.LinkTypePPP:            "PPP",
	layers.LinkTypeRaw:            "raw IP",
	layers.LinkTypeIPv4:           "raw IP",
	layers.LinkTypeIPv6:           "raw IP",
	layers.LinkTypeIEEE802_11:     "a wireless network",
	layers.LinkTypeIEEE80211Radio: "a wireless network",
	layers.LinkTypeLinuxSLL:       "all ports at once (tcpdump -i any)",
	layers.LinkTypeLinuxSLL2:      "all ports at once (tcpdump -i any)",
}

// otherLink returns why a frame of a link type cannot be sent; "" if it is of an Ethernet.
func otherLink(l layers.LinkType) string {
	if l == layers.LinkTypeEthernet {
		return ""
	}
	return "not taken from an Ethernet but from " + cmp.Or(linkNames[l], "a link type that weir does not know")
}

// add takes a frame that can be sent, or counts why it cannot.
func (c *Capture) add(p packet) {
	reason := otherLink(p.link)
	if reason == "" && p.cut {
		reason = "cut short when they were captured"
	}
	var k *Kind
	if reason == "" {
		k, reason = capturedKind(p.octets)
	}
	if reason == "" && len(c.kinds) == MaxReplayFrames {
		reason = fmt.Sprintf("after the first %d", MaxReplayFrames)
	}
	if reason != "" {
		c.left(reason)
		return
	}
	c.kinds = append(c.kinds, k)
}

// left counts a frame that is not sent.
func (c *Capture) left(reason string) {
	at, found := slices.BinarySearchFunc(c.Left, reason, func(l weir.Unsent, reason string) int { return strings.Compare(l.Reason, reason) })
	if !found {
		c.Left = slices.Insert(c.Left, at, weir.Unsent{Reason: reason})
	}
	c.Left[at].Frames++
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

// Flows are the distinct addresses and ports of the frames that can be sent, in the order of the file.
func (c *Capture) Flows() []Flow {
	var all []Flow
	seen := make(map[Flow]bool)
	for _, k := range c.kinds {
		e := k.Flows[0]
		f := Flow{Source: netip.AddrFrom16(e.Source), Destination: netip.AddrFrom16(e.Destination), SourcePort: e.SourcePort, DestinationPort: e.DestinationPort}
		if !k.IPv6 {
			f.Source, f.Destination = netip.AddrFrom4([4]byte(e.Source[:4])), netip.AddrFrom4([4]byte(e.Destination[:4]))
		}
		if !seen[f] {
			seen[f] = true
			all = append(all, f)
		}
	}
	return all
}

// Destinations are the distinct addresses that the frames go to, sorted.
func (c *Capture) Destinations() []netip.Addr {
	var all []netip.Addr
	for _, f := range c.Flows() {
		all = append(all, f.Destination)
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

// Replay is what a traffic says of the capture; its sizes are Sizes.
func (c *Capture) Replay() *weir.Replay {
	r := &weir.Replay{File: c.File, SHA256: c.SHA256, Frames: c.Frames(), Flows: len(c.Flows()), Reasons: slices.Clone(c.Left)}
	for _, l := range c.Left {
		r.Left += l.Frames
	}
	return r
}
