package frame

import (
	"encoding/binary"
	"net"

	"weir"
)

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd

	protocolTCP = 6
	protocolUDP = 17

	hopLimit  = 64 // also the TTL
	tcpWindow = 65535
)

// Where fields lie that differ from frame to frame, in octets from the start of
// their header.
const (
	ipv4Length      = 2
	ipv4Checksum    = 10
	ipv4Source      = 12
	ipv4Destination = 16

	ipv6Length      = 4
	ipv6Source      = 8
	ipv6Destination = 24

	sourcePort      = 0
	destinationPort = 2
	udpLength       = 4
	udpChecksum     = 6
	tcpChecksum     = 16
)

// headers are the octets from the Ethernet destination to the end of the L4
// header of a frame of the given size, with checksums of 0. Each frame of t has
// its extension headers.
func headers(t weir.Traffic, l Layout, source, destination net.HardwareAddr, size weir.Size, f Flow) []byte {
	b := make([]byte, 0, l.Payload)
	b = append(append(b, destination...), source...)
	for _, v := range t.VLANs {
		b = append16(b, v.TPID, uint16(v.PCP)<<13|v.ID)
	}
	ipLength := uint16(int(size) - FCS - l.L3)
	protocol := protocolNumber(t.Protocol)
	etherType := uint16(etherIPv4)
	if t.Family == weir.IPv6 {
		etherType = etherIPv6
	}
	if l.Session {
		b = appendSession(b, t.Family, ipLength)
	} else {
		b = append16(b, etherType)
	}
	if t.Family == weir.IPv6 {
		b = append(b, 6<<4, 0, 0, 0)
		b = append16(b, ipLength-ipv6Header)
		b = append(b, firstHeader(t.Extensions, protocol), hopLimit)
	} else {
		b = append(b, 4<<4|ipv4Header/4, 0)
		b = append16(b, ipLength, 0, 0)
		b = append(b, hopLimit, protocol, 0, 0)
	}
	b = append(append(b, f.Source.AsSlice()...), f.Destination.AsSlice()...)
	b = appendExtensions(b, t.Extensions, protocol)
	b = append16(b, f.SourcePort, f.DestinationPort)
	if t.Protocol == weir.TCP {
		const ack = 0x10
		b = append(b, make([]byte, 8)...) // sequence and acknowledgment numbers
		b = append(b, tcpHeader/4<<4, ack)
		return append16(b, tcpWindow, 0, 0)
	}
	return append16(b, ipLength-uint16(l.L4-l.L3), 0)
}

func protocolNumber(p weir.Protocol) byte {
	if p == weir.TCP {
		return protocolTCP
	}
	return protocolUDP
}

func append16(b []byte, values ...uint16) []byte {
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}
