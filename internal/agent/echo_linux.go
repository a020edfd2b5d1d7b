package agent

import (
	"fmt"
	"os"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
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
	err = unix.SetsockoptInt(socket, unix.SOL_RAW, icmpFilter, ^(1 << ipv4.ICMPTypeEchoReply))
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
func identity() int { return os.Getpid() & 0xffff }

// echoRequest is an ICMP message without data.
func echoRequest(sequence uint16) ([]byte, error) {
	m := icmp.Message{Type: ipv4.ICMPTypeEcho, Body: &icmp.Echo{ID: identity(), Seq: int(sequence)}}
	return m.Marshal(nil)
}

// echoReply is the sequence of a reply to a request of this process, in an IPv4
// packet.
func echoReply(packet []byte) (sequence uint16, ours bool) {
	header, err := icmp.ParseIPv4Header(packet)
	if err != nil || len(packet) < header.Len {
		return 0, false
	}
	m, err := icmp.ParseMessage(ipv4.ICMPTypeEcho.Protocol(), packet[header.Len:])
	if err != nil || m.Type != ipv4.ICMPTypeEchoReply {
		return 0, false
	}
	echo, ok := m.Body.(*icmp.Echo)
	if !ok || echo.ID != identity() {
		return 0, false
	}
	return uint16(echo.Seq), true
}
