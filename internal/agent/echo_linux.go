package agent

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// The messages of ICMP that are used (RFC 792).
const (
	echoReplyType   = 0
	echoRequestType = 8
	echoHeader      = 8 // octets
)

// icmpFilter is the socket option that says which types a raw socket does not
// want: <linux/icmp.h> has it.
const icmpFilter = 1

// pingSocket is a raw socket that hears the echo replies of one address.
func pingSocket(from *unix.SockaddrInet4) (int, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_ICMP)
	if err != nil {
		return -1, fmt.Errorf("make a raw ICMP socket: %w", err)
	}
	wanted := ^(1 << echoReplyType)
	err = unix.SetsockoptInt(socket, unix.SOL_RAW, icmpFilter, wanted)
	if err == nil {
		err = unix.Connect(socket, from)
	}
	if err != nil {
		unix.Close(socket)
		return -1, fmt.Errorf("set up a raw ICMP socket: %w", err)
	}
	return socket, nil
}

// identity tells the echoes of this process from those of others.
func identity() uint16 { return uint16(os.Getpid()) }

// echoRequest is an ICMP message without data.
func echoRequest(sequence uint16) []byte {
	m := make([]byte, echoHeader)
	m[0] = echoRequestType
	binary.BigEndian.PutUint16(m[4:], identity())
	binary.BigEndian.PutUint16(m[6:], sequence)
	var sum uint32
	for i := 0; i < len(m); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(m[i:]))
	}
	sum = sum>>16 + sum&0xffff
	binary.BigEndian.PutUint16(m[2:], ^uint16(sum+sum>>16))
	return m
}

// echoReply is the sequence of a reply to a request of this process, in an IPv4
// packet.
func echoReply(packet []byte) (sequence uint16, ours bool) {
	if len(packet) < 20 {
		return 0, false
	}
	header := int(packet[0]&0xf) * 4
	if len(packet) < header+echoHeader {
		return 0, false
	}
	m := packet[header:]
	return binary.BigEndian.Uint16(m[6:]), m[0] == echoReplyType && binary.BigEndian.Uint16(m[4:]) == identity()
}
