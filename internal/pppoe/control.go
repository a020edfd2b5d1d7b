package pppoe

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Protocol is the PPP protocol field.
type Protocol uint16

// The protocols that are known here.
const (
	IPv4   Protocol = 0x0021
	IPv6   Protocol = 0x0057
	IPCP   Protocol = 0x8021
	IPv6CP Protocol = 0x8057
	LCP    Protocol = 0xc021
	PAP    Protocol = 0xc023
	CHAP   Protocol = 0xc223 // with MD5 alone
)

// Codes of control packets (RFC 1661 section 5).
const (
	configureRequest byte = iota + 1
	configureAck
	configureNak
	configureReject
	terminateRequest
	terminateAck
	codeReject
	protocolReject // this and what follows: LCP alone
	echoRequest
	echoReply
	discardRequest
)

// Codes of PAP (RFC 1334 section 2.2) and CHAP (RFC 1994 section 4).
const (
	papRequest byte = iota + 1
	papAck
	papNak

	chapChallenge byte = iota - 2
	chapResponse
	chapSuccess
	chapFailure
)

// control is the packet that LCP, the NCPs, PAP and CHAP have alike.
type control struct {
	code, id byte
	data     []byte
}

// decodeControl reads a packet; octets behind its Length are padding (RFC 1661
// section 5).
func decodeControl(b []byte) (control, error) {
	if len(b) < 4 {
		return control{}, errors.New("packet ends within its header")
	}
	length := int(binary.BigEndian.Uint16(b[2:]))
	if length < 4 || length > len(b) {
		return control{}, fmt.Errorf("length %d in a packet of %d octets", length, len(b))
	}
	return control{b[0], b[1], b[4:length]}, nil
}

func (c control) append(b []byte) []byte {
	b = append(b, c.code, c.id)
	b = binary.BigEndian.AppendUint16(b, uint16(4+len(c.data)))
	return append(b, c.data...)
}

// option is a Configuration Option (RFC 1661 section 6).
type option struct {
	kind  byte
	value []byte
}

func decodeOptions(b []byte) ([]option, error) {
	var options []option
	for len(b) > 0 {
		if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
			return nil, errors.New("an option does not end within the packet")
		}
		options = append(options, option{b[0], b[2:b[1]]})
		b = b[b[1]:]
	}
	return options, nil
}

func (o option) append(b []byte) []byte {
	return append(append(b, o.kind, byte(2+len(o.value))), o.value...)
}

// decodeCredentials reads the data of an Authenticate-Request (RFC 1334
// section 2.2.1).
func decodeCredentials(b []byte) (user, password []byte, err error) {
	user, rest, err := counted(b)
	if err != nil {
		return nil, nil, err
	}
	password, rest, err = counted(rest)
	if err == nil && len(rest) > 0 {
		err = errors.New("octets behind the password")
	}
	return user, password, err
}

// counted splits what an octet of length stands before from the rest: that is
// how PAP writes its strings, and CHAP its values (RFC 1994 section 4.1).
func counted(b []byte) (value, rest []byte, err error) {
	if len(b) == 0 || 1+int(b[0]) > len(b) {
		return nil, nil, errors.New("a value does not end within the packet")
	}
	end := 1 + int(b[0])
	return b[1:end], b[end:], nil
}

func appendCounted(b, value []byte) []byte {
	return append(append(b, byte(len(value))), value...)
}
