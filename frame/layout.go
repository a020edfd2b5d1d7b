package frame

import (
	"fmt"
	"slices"

	"weir"
)

// Header lengths in octets, without options.
const (
	ethernetHeader = 14
	vlanTag        = 4
	ipv4Header     = 20
	ipv6Header     = 40
	udpHeader      = 8
	tcpHeader      = 20
)

// minSize is the smallest Ethernet frame.
const minSize weir.Size = 64

// Layout says where the parts of a traffic's frames lie, in octets from the
// Ethernet destination address on. All sizes of one traffic share it.
type Layout struct {
	L3, L4, Payload int       // offsets; the signature is at the start of the payload
	Short           bool      // whether the signature has its short form
	Smallest        weir.Size // the smallest frame that these headers and a short signature fit in
}

// LayoutOf is the layout of the frames of t. The signature is short when the
// smallest of the sizes leaves fewer than FullSignature octets of payload. It
// is an error when t is not valid (Validate) or when one of its sizes leaves
// fewer than ShortSignature; whether a back end can send the largest is not
// looked at.
func LayoutOf(t weir.Traffic) (Layout, error) {
	if err := Validate(t); err != nil {
		return Layout{}, err
	}
	l := Layout{L3: ethernetHeader + len(t.VLANs)*vlanTag}
	l.L4 = l.L3 + networkHeader(t.Family)
	l.Payload = l.L4 + transportHeader(t.Protocol)
	l.Smallest = SmallestSize(t.Family, t.Protocol, len(t.VLANs))
	smallest := slices.Min(t.Sizes)
	if smallest < l.Smallest {
		return Layout{}, fmt.Errorf("frame size %d is too small: headers of %d octets (%s), a signature of %d and the FCS of %d need at least %d",
			smallest, l.Payload, describe(t), ShortSignature, FCS, l.Smallest)
	}
	l.Short = int(smallest)-FCS-l.Payload < FullSignature
	return l, nil
}

// SmallestSize is the smallest frame, in octets with FCS, that has room for the
// headers and a short signature: 64 for IPv4 and UDP, 78 for IPv6 and UDP.
func SmallestSize(family weir.Family, protocol weir.Protocol, tags int) weir.Size {
	headers := ethernetHeader + tags*vlanTag + networkHeader(family) + transportHeader(protocol)
	return max(minSize, weir.Size(headers+ShortSignature+FCS))
}

func networkHeader(f weir.Family) int {
	if f == weir.IPv6 {
		return ipv6Header
	}
	return ipv4Header
}

func transportHeader(p weir.Protocol) int {
	if p == weir.TCP {
		return tcpHeader
	}
	return udpHeader
}

// describe names the headers of t: "ethernet, 1 vlan tag, ipv4, udp".
func describe(t weir.Traffic) string {
	tags := ""
	switch len(t.VLANs) {
	case 0:
	case 1:
		tags = "1 vlan tag, "
	default:
		tags = fmt.Sprintf("%d vlan tags, ", len(t.VLANs))
	}
	return fmt.Sprintf("ethernet, %s%s, %s", tags, t.Family, t.Protocol)
}
