package frame

import (
	"net"
	"net/netip"

	"weir"
)

// Template is what the frames of one stream have in common.
//
// Together with the entries of a size and of a flow it is all that the packet
// path needs to finish a frame without reading its payload: it copies the
// headers, writes the lengths, addresses and ports, and
//
//	IPv4 checksum = ^fold(SizeEntry.IPSum + FlowEntry.IPSum)
//	L4 checksum   = ^fold(SizeEntry.L4Sum + FlowEntry.L4Sum + signature)
//
// where signature is the sum of the signature's words, and an L4 checksum of 0
// is sent as 0xffff with UDP (RFC 768). All sums are ones' complement sums (RFC
// 1071) of 16-bit words in network order, kept as integers in host order, and
// folded: 0 to 0xffff.
type Template struct {
	Headers []byte // Ethernet to the end of the L4 header, of the first size and flow, with checksums of 0
	Layout  Layout
}

// SizeEntry is what the frames of one size have in common.
type SizeEntry struct {
	Frame    uint16 // octets without FCS
	IPLength uint16 // octets of the IP packet with its header; IPv6's payload length is 40 less
	L4Length uint16 // octets from the L4 header on: the UDP length
	IPSum    uint32 // IPv4 header without addresses and checksum; 0 for IPv6
	L4Sum    uint32 // pseudo header without addresses, L4 header without ports and checksum, payload without signature
}

// FlowEntry is what the frames of one flow have in common.
type FlowEntry struct {
	Source, Destination         [16]byte // as on the wire; IPv4 in the first 4 octets
	SourcePort, DestinationPort uint16   // host order
	IPSum                       uint32   // addresses; 0 for IPv6
	L4Sum                       uint32   // addresses and ports
}

// sizeEntry takes the sums over real headers in which what belongs to the flow
// is zero. Headers and signature have even lengths, so that the parts of a
// frame may be summed apart. The filler is what follows the signature.
func sizeEntry(t weir.Traffic, l Layout, size weir.Size, filler []byte) SizeEntry {
	nowhere := Flow{Source: netip.IPv4Unspecified(), Destination: netip.IPv4Unspecified()}
	if t.Family == weir.IPv6 {
		nowhere = Flow{Source: netip.IPv6Unspecified(), Destination: netip.IPv6Unspecified()}
	}
	none := make(net.HardwareAddr, 6)
	h := headers(t, l, none, none, size, nowhere)
	e := SizeEntry{Frame: uint16(size - FCS)}
	e.IPLength = e.Frame - uint16(l.L3)
	e.L4Length = e.Frame - uint16(l.L4)
	if t.Family == weir.IPv4 {
		e.IPSum = uint32(fold(addWords(0, h[l.L3:l.L4])))
	}
	sum := uint64(protocolNumber(t.Protocol)) + uint64(e.L4Length)
	sum = addWords(sum, h[l.L4:])
	sum = addWords(sum, filler)
	e.L4Sum = uint32(fold(sum))
	return e
}

func flowEntry(f Flow) FlowEntry {
	e := FlowEntry{SourcePort: f.SourcePort, DestinationPort: f.DestinationPort}
	copy(e.Source[:], f.Source.AsSlice())
	copy(e.Destination[:], f.Destination.AsSlice())
	addresses := addWords(addWords(0, e.Source[:]), e.Destination[:])
	if f.Source.Is4() {
		e.IPSum = uint32(fold(addresses))
	}
	e.L4Sum = uint32(fold(addresses + uint64(f.SourcePort) + uint64(f.DestinationPort)))
	return e
}
