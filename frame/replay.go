package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"weir"
)

// validateReplay checks what says nothing of a traffic that replays a capture,
// or contradicts it.
func validateReplay(t weir.Traffic) error {
	switch {
	case t.Replay.File == "":
		return errors.New("replay: no file is named")
	case t.Replay.Frames != len(t.Sizes):
		return fmt.Errorf("replay: %d frames of the capture are sent, but there are %d frame sizes: each frame has one", t.Replay.Frames, len(t.Sizes))
	case t.Blend != nil || len(t.Extensions) > 0 || len(t.VLANs) > 0 || t.Routes.Count > 0:
		return errors.New("replay: the frames of a capture keep their headers: leave out blend, extensions, vlans and routes")
	}
	return nil
}

// replayed is the capture of t, if it is still what it was.
func replayed(t weir.Traffic) (*Capture, error) {
	c, err := ReadCapture(t.Replay.File)
	if err != nil {
		return nil, err
	}
	if t.Replay.SHA256 != c.SHA256 || !slices.Equal(c.Sizes(), t.Sizes) {
		return nil, fmt.Errorf("capture %s has changed: its SHA-256 is %s, and it was %s", c.File, c.SHA256, t.Replay.SHA256)
	}
	return c, nil
}

// replay makes a kind of each frame of a capture.
func (b *Builder) replay(t weir.Traffic, c *Capture, source, destination net.HardwareAddr) {
	order := make([]int, len(c.kinds))
	for i, k := range c.kinds {
		copy(k.Octets, destination)
		copy(k.Octets[len(destination):], source)
		order[i] = i
	}
	b.kinds = c.kinds
	b.order(order)
	b.fill(t, 0)
	b.addBroadcast(t, source)
	b.complete()
}

// capturedKind is a frame as a kind of its own, of one size and one flow, or
// the reason why it cannot be sent.
func capturedKind(captured []byte) (k *Kind, reason string) {
	l3, etherType, ok := parseEthernet(captured)
	var n parsedNetwork
	k = &Kind{Signed: true}
	switch {
	case ok && etherType == etherIPv4:
		n, ok = parseIPv4(captured[l3:])
		if !ok && len(captured) >= l3+ipv4Header && binary.BigEndian.Uint16(captured[l3+6:])&fragment4 != 0 {
			return nil, "fragments"
		}
	case ok && etherType == etherIPv6:
		k.IPv6 = true
		n, ok = parseIPv6(captured[l3:])
	default:
		return nil, "not IP"
	}
	if !ok || n.length < n.header || l3+n.length > len(captured) {
		return nil, "malformed"
	}
	limit := captured[l3+8]
	if k.IPv6 {
		limit = captured[l3+7]
	}
	frame := slices.Concat(captured, make([]byte, max(0, int(minSize)-FCS-len(captured))))
	segment := frame[l3+n.header : l3+n.length]
	header, reason := transportOf(n.protocol, segment)
	room := len(segment) - header
	size := weir.Size(len(frame) + FCS)
	switch {
	case reason != "":
		return nil, reason
	case room < ShortSignature:
		return nil, "without room for a signature"
	case size > MaxReplaySize:
		return nil, fmt.Sprintf("larger than %d octets", MaxReplaySize)
	case limit < 2:
		return nil, "at the end of their hop limit"
	case !unicast(n.destination):
		return nil, "to no single node"
	case !unicast(n.source):
		return nil, "from an address that no router forwards"
	}
	k.TCP = n.protocol == protocolTCP
	k.Octets = frame
	k.Template.Layout = Layout{L3: l3, L4: l3 + n.header, Payload: l3 + n.header + header, Short: room < FullSignature, Smallest: size}
	k.Template.Headers = frame[:k.Template.Layout.Payload]
	f := Flow{
		Source: n.source, Destination: n.destination,
		SourcePort: binary.BigEndian.Uint16(segment[sourcePort:]), DestinationPort: binary.BigEndian.Uint16(segment[destinationPort:]),
	}
	k.Flows = []FlowEntry{flowEntry(f)}
	k.Sizes = []SizeEntry{k.capturedEntry(n)}
	return k, ""
}

// notUnicast are networks of IPv4 that are no node's, and that netip takes for global unicast
// (RFC 1122 section 3.2.1.3, RFC 1112 section 4).
var notUnicast = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("240.0.0.0/4")}

// unicast reports whether a router forwards frames from and to an address.
func unicast(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !slices.ContainsFunc(notUnicast, func(n netip.Prefix) bool { return n.Contains(a) })
}

// transportOf is the length of the L4 header of a segment, or the reason why it
// cannot be sent.
func transportOf(protocol byte, segment []byte) (header int, reason string) {
	const fragment6 = 44
	switch {
	case protocol == fragment6:
		return 0, "fragments"
	case protocol == protocolUDP && len(segment) >= udpHeader:
		if int(binary.BigEndian.Uint16(segment[udpLength:])) != len(segment) {
			return 0, "malformed"
		}
		return udpHeader, ""
	case protocol == protocolTCP && len(segment) >= tcpHeader:
		header = int(segment[12]>>4) * 4
		if header < tcpHeader || header > len(segment) {
			return 0, "malformed"
		}
		return header, ""
	case protocol == protocolUDP, protocol == protocolTCP:
		return 0, "malformed"
	}
	return 0, "neither UDP nor TCP"
}

// capturedEntry takes the sums over the headers of a captured frame as
// sizeEntry does, and over what is left of its payload.
func (k *Kind) capturedEntry(n parsedNetwork) SizeEntry {
	l := k.Template.Layout
	h := slices.Clone(k.Octets[:l.Payload])
	e := SizeEntry{Frame: uint16(len(k.Octets)), IPLength: uint16(n.length), L4Length: uint16(n.length - n.header)}
	if !k.IPv6 {
		clear(h[l.L3+ipv4Checksum:][:2])
		clear(h[l.L3+ipv4Source : l.L3+ipv4Header])
		e.IPSum = uint32(fold(addWords(0, h[l.L3:l.L4])))
	}
	checksum := udpChecksum
	if k.TCP {
		checksum = tcpChecksum
	}
	clear(h[l.L4+sourcePort:][:4])
	clear(h[l.L4+checksum:][:2])
	sum := addWords(uint64(n.protocol)+uint64(e.L4Length), h[l.L4:])
	sum = addWords(sum, k.Octets[k.SignatureEnd():l.L3+n.length])
	e.L4Sum = uint32(fold(sum))
	return e
}
