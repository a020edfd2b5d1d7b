package frame

import (
	"encoding/binary"
	"net/netip"

	"weir"
)

// Parsed is what a frame says of itself.
type Parsed struct {
	Signature Signature // low 32 bits of sequence and time when Short
	Short     bool
	Family    weir.Family
	Protocol  weir.Protocol
	Flow      Flow
	Session   uint16 // the id of the PPPoE session that it is in; 0: in none
	Payload   int    // offset of the signature, in octets
	Intact    bool   // the IP packet is all there and its L4 checksum is right
}

// Parse finds the signature in a frame without FCS: behind up to two VLAN tags, a
// header of PPPoE, IPv4 with options or IPv6 with extension headers, and UDP or TCP. It is not
// ok when the frame is not a test frame, is a fragment, or is cut before the
// end of its signature. A frame that is ok and not Intact was damaged on its
// way. Octets after the IP packet are padding and not looked at.
func Parse(frame []byte) (Parsed, bool) {
	l3, etherType, ok := parseEthernet(frame)
	if !ok {
		return Parsed{}, false
	}
	var n parsedNetwork
	var p Parsed
	if etherType == etherSession {
		if p.Session, etherType, ok = parseSession(frame[l3:]); !ok {
			return Parsed{}, false
		}
		l3 += pppoeHeader
	}
	switch etherType {
	case etherIPv4:
		p.Family = weir.IPv4
		n, ok = parseIPv4(frame[l3:])
	case etherIPv6:
		p.Family = weir.IPv6
		n, ok = parseIPv6(frame[l3:])
	default:
		ok = false
	}
	if !ok {
		return Parsed{}, false
	}
	segment := frame[l3+n.header:]
	length := 0 // of the L4 header
	switch n.protocol {
	case protocolUDP:
		p.Protocol = weir.UDP
		length = udpHeader
	case protocolTCP:
		p.Protocol = weir.TCP
		if len(segment) >= tcpHeader {
			length = int(segment[12]>>4) * 4
		}
		if length < tcpHeader {
			return Parsed{}, false
		}
	default:
		return Parsed{}, false
	}
	if len(segment) < length {
		return Parsed{}, false
	}
	if p.Signature, p.Short, ok = GetSignature(segment[length:]); !ok {
		return Parsed{}, false
	}
	p.Payload = l3 + n.header + length
	p.Flow = Flow{
		Source:          n.source,
		Destination:     n.destination,
		SourcePort:      binary.BigEndian.Uint16(segment[sourcePort:]),
		DestinationPort: binary.BigEndian.Uint16(segment[destinationPort:]),
	}
	end := n.length - n.header // of the segment
	if end >= length+signatureSize(p.Short) && end <= len(segment) {
		sum := n.addresses + uint64(n.protocol) + uint64(end)
		p.Intact = fold(addWords(sum, segment[:end])) == 0xffff
	}
	return p, true
}

// parsedNetwork is what an IP header says, its extensions included.
type parsedNetwork struct {
	header, length      int // octets of the headers, and of the packet as it claims
	protocol            byte
	source, destination netip.Addr
	addresses           uint64 // their sum
}

func parseEthernet(b []byte) (l3 int, etherType uint16, ok bool) {
	if len(b) < ethernetHeader {
		return 0, 0, false
	}
	l3, etherType = ethernetHeader, binary.BigEndian.Uint16(b[ethernetHeader-2:])
	for range maxTags {
		if etherType != tpidCustomer && etherType != tpidService {
			break
		}
		if l3 += vlanTag; len(b) < l3 {
			return 0, 0, false
		}
		etherType = binary.BigEndian.Uint16(b[l3-2:])
	}
	return l3, etherType, true
}

// fragment4 are the bits of an IPv4 header that only fragments have: more of
// them, or an offset.
const fragment4 = 0x3fff

func parseIPv4(b []byte) (n parsedNetwork, ok bool) {
	if len(b) < ipv4Header || b[0]>>4 != 4 {
		return n, false
	}
	n.header = int(b[0]&0x0f) * 4
	if n.header < ipv4Header || len(b) < n.header || binary.BigEndian.Uint16(b[6:])&fragment4 != 0 {
		return n, false
	}
	n.length = int(binary.BigEndian.Uint16(b[ipv4Length:]))
	n.protocol = b[9]
	n.source = netip.AddrFrom4([4]byte(b[ipv4Source:]))
	n.destination = netip.AddrFrom4([4]byte(b[ipv4Destination:]))
	n.addresses = addWords(0, b[ipv4Source:ipv4Header])
	return n, true
}

// maxExtensions is how many extension headers are skipped, no more than the
// packet path does.
const maxExtensions = 8

func parseIPv6(b []byte) (n parsedNetwork, ok bool) {
	if len(b) < ipv6Header || b[0]>>4 != 6 {
		return n, false
	}
	n.header = ipv6Header
	n.length = ipv6Header + int(binary.BigEndian.Uint16(b[ipv6Length:]))
	n.protocol = b[6]
	n.source = netip.AddrFrom16([16]byte(b[ipv6Source:]))
	n.destination = netip.AddrFrom16([16]byte(b[ipv6Destination:]))
	n.addresses = addWords(0, b[ipv6Source:ipv6Header])
	const hopByHop, routing, destinationOptions = 0, 43, 60
	for range maxExtensions {
		if n.protocol != hopByHop && n.protocol != routing && n.protocol != destinationOptions {
			break
		}
		if len(b) < n.header+8 {
			return n, false
		}
		n.protocol = b[n.header]
		n.header += (int(b[n.header+1]) + 1) * 8
		if len(b) < n.header {
			return n, false
		}
	}
	return n, true
}
