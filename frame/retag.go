package frame

import "encoding/binary"

// Retag writes a tag over the signature of a test frame, so that no receiver takes the frame
// for one of a trial, and keeps its checksum right. It reports false for what is no intact
// test frame outside of sessions, and for a tag of more than ShortSignature octets.
func Retag(frame, tag []byte) bool {
	p, ok := Parse(frame)
	if !ok || !p.Intact || p.Session != 0 || len(tag) > ShortSignature {
		return false
	}
	l3, etherType, _ := parseEthernet(frame)
	read := parseIPv4
	if etherType == etherIPv6 {
		read = parseIPv6
	}
	n, _ := read(frame[l3:])
	segment := frame[l3+n.header : l3+n.length]
	checksum := udpChecksum
	if n.protocol == protocolTCP {
		checksum = tcpChecksum
	}
	copy(frame[p.Payload:], tag)
	clear(segment[checksum:][:2])
	sum := ^fold(addWords(n.addresses+uint64(n.protocol)+uint64(len(segment)), segment))
	if sum == 0 && n.protocol == protocolUDP {
		sum = 0xffff // 0 would say that there is none (RFC 768)
	}
	binary.BigEndian.PutUint16(segment[checksum:], sum)
	return true
}
