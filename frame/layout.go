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

// Layout says where the parts of frames with the same headers lie, in octets
// from the Ethernet destination address on. All sizes of one traffic share it.
type Layout struct {
	L3, L4, Payload int       // offsets; the signature is at the start of the payload
	Short           bool      // whether the signature has its short form
	Smallest        weir.Size // the smallest frame that these headers and a short signature fit in
	Session         bool      // whether a header of PPPoE is before L3
}

// TooSmallError says that headers do not fit into a frame.
type TooSmallError struct {
	Size, Least weir.Size
	headers     int // octets
	named       string
}

func (e *TooSmallError) Error() string {
	return fmt.Sprintf("frame size %d is too small: headers of %d octets (%s), a signature of %d and the FCS of %d need at least %d",
		e.Size, e.headers, e.named, ShortSignature, FCS, e.Least)
}

// LayoutOf is the layout of the frames of t; of those of its family without
// extension headers, if there are such, where t has frames of several kinds.
// Smallest is then that of the kind that needs most. Of a capture that is
// replayed each frame has its own layout, and only Smallest is set. Where t has
// sessions it is that of the frames inside them.
//
// The signature is short when the smallest of the sizes leaves fewer than
// FullSignature octets of payload. It is an error when t is not valid
// (Validate) or when one of its sizes leaves fewer than ShortSignature; whether
// a back end can send the largest is not looked at.
func LayoutOf(t weir.Traffic) (Layout, error) {
	if err := Validate(t); err != nil {
		return Layout{}, err
	}
	all := variants(t)
	if len(all) == 0 {
		return Layout{Smallest: minSize}, nil
	}
	first := layoutOf(all[0].traffic)
	smallest := slices.Min(t.Sizes)
	for _, v := range all {
		l := layoutOf(v.traffic)
		if smallest < l.Smallest {
			return Layout{}, &TooSmallError{smallest, l.Smallest, l.Payload, describe(v.traffic)}
		}
		first.Smallest = max(first.Smallest, l.Smallest)
	}
	return first, nil
}

// layoutOf is the layout of a variant.
func layoutOf(t weir.Traffic) Layout {
	l := Layout{L3: ethernetHeader + len(t.VLANs)*vlanTag, Session: t.Sessions > 0}
	if l.Session {
		l.L3 += pppoeHeader
	}
	l.L4 = l.L3 + networkHeader(t.Family) + extensionLength(t.Extensions)
	l.Payload = l.L4 + transportHeader(t.Protocol)
	l.Smallest = max(minSize, weir.Size(l.Payload+ShortSignature+FCS))
	l.Short = int(slices.Min(t.Sizes))-FCS-l.Payload < FullSignature
	return l
}

// from is the layout of the frames that leave from a side, 0 or 1: those from
// side 1 enter their sessions on the way. The form of the signature is the same.
func (l Layout) from(side int) Layout {
	if side == 1 && l.Session {
		l.L3, l.L4, l.Payload, l.Session = l.L3-pppoeHeader, l.L4-pppoeHeader, l.Payload-pppoeHeader, false
	}
	return l
}

// SmallestSize is the smallest frame, in octets with FCS, that has room for the
// headers and a short signature: 64 for IPv4 and UDP, 78 for IPv6 and UDP. More
// is needed for extension headers: Layout.Smallest knows.
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

// describe names the headers of a variant: "ethernet, 1 vlan tag, ipv4, udp".
func describe(t weir.Traffic) string {
	tags := ""
	switch len(t.VLANs) {
	case 0:
	case 1:
		tags = "1 vlan tag, "
	default:
		tags = fmt.Sprintf("%d vlan tags, ", len(t.VLANs))
	}
	if t.Sessions > 0 {
		tags = "pppoe, "
	}
	extensions := ""
	for _, e := range t.Extensions {
		extensions += fmt.Sprintf("%s, ", e)
	}
	return fmt.Sprintf("ethernet, %s%s, %s%s", tags, t.Family, extensions, t.Protocol)
}
