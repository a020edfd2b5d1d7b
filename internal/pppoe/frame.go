package pppoe

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// MAC is an Ethernet address.
type MAC [6]byte

var broadcast = MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func (m MAC) group() bool { return m[0]&1 != 0 }

func (m MAC) String() string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

// Code is what a frame is for: the CODE field (RFC 2516 sections 5 and 6).
type Code uint8

// The codes; Session is a PPP frame, the others are of the discovery stage.
const (
	Session Code = 0x00
	PADO    Code = 0x07 // offer
	PADI    Code = 0x09 // initiation
	PADR    Code = 0x19 // request
	PADS    Code = 0x65 // session-confirmation
	PADT    Code = 0xa7 // terminate
)

// The Ethernet types of PPPoE.
const (
	EtherDiscovery = 0x8863
	EtherSession   = 0x8864
)

const (
	headers     = 20     // octets of Ethernet's header and PPPoE's
	versionType = 0x11   // VER and TYPE (section 4)
	reservedID  = 0xffff // "MUST NOT be used" (section 4)
	ethernetMax = 1492   // of a PPP frame, where nothing else was agreed (section 7)
)

// Frame is an Ethernet frame with PPPoE inside (RFC 2516 section 4).
type Frame struct {
	Dst, Src MAC
	Code     Code
	ID       uint16 // SESSION_ID, 0 before there is one
	Payload  []byte // tags, or a PPP frame from its protocol field on
}

// DecodeFrame reads a frame. It is an error when the frame is not one that RFC
// 2516 lets somebody send. What follows LENGTH octets is padding. The payload
// is a part of b.
func DecodeFrame(b []byte) (Frame, error) {
	if len(b) < headers {
		return Frame{}, errors.New("frame ends within its headers")
	}
	f := Frame{Dst: MAC(b), Src: MAC(b[6:]), Code: Code(b[15]), ID: binary.BigEndian.Uint16(b[16:])}
	length := int(binary.BigEndian.Uint16(b[18:]))
	switch ether := binary.BigEndian.Uint16(b[12:]); {
	case ether != f.Code.etherType():
		return Frame{}, fmt.Errorf("code %#02x in a frame of type %#04x", f.Code, ether)
	case b[14] != versionType:
		return Frame{}, fmt.Errorf("version and type are %#02x", b[14])
	case headers+length > len(b):
		return Frame{}, fmt.Errorf("payload of %d octets in %d", length, len(b)-headers)
	case f.Src.group():
		return Frame{}, errors.New("sent by a group address")
	case f.Code == PADI && f.Dst != broadcast, f.Code != PADI && f.Dst.group():
		return Frame{}, fmt.Errorf("code %#02x to %s", f.Code, f.Dst)
	}
	switch known, named := f.Code.session(); {
	case !known:
		return Frame{}, fmt.Errorf("unknown code %#02x", f.Code)
	case f.ID == reservedID, f.Code != PADS && (f.ID != 0) != named:
		return Frame{}, fmt.Errorf("code %#02x with session id %#04x", f.Code, f.ID)
	}
	f.Payload = b[headers : headers+length]
	return f, nil
}

// Append adds the octets of the frame to b, without padding and FCS.
func (f Frame) Append(b []byte) []byte {
	b = append(append(b, f.Dst[:]...), f.Src[:]...)
	b = binary.BigEndian.AppendUint16(b, f.Code.etherType())
	b = append(b, versionType, byte(f.Code))
	b = binary.BigEndian.AppendUint16(b, f.ID)
	b = binary.BigEndian.AppendUint16(b, uint16(len(f.Payload)))
	return append(b, f.Payload...)
}

// Before is how many octets of a session's frame stand before its datagram.
const Before = headers + 2

// Put writes the octets before a datagram of proto into b, the frame of a session that
// has the datagram in its place already: nothing is copied.
func (f Frame) Put(b []byte, proto Protocol) {
	copy(b, f.Dst[:])
	copy(b[6:], f.Src[:])
	binary.BigEndian.PutUint16(b[12:], EtherSession)
	b[14], b[15] = versionType, byte(Session)
	binary.BigEndian.PutUint16(b[16:], f.ID)
	binary.BigEndian.PutUint16(b[18:], uint16(len(b)-headers))
	binary.BigEndian.PutUint16(b[headers:], uint16(proto))
}

func (c Code) etherType() uint16 {
	if c == Session {
		return EtherSession
	}
	return EtherDiscovery
}

// session tells whether the code is one of RFC 2516, and whether its frames
// name a session; those of PADS do unless they bring an error.
func (c Code) session() (known, named bool) {
	switch c {
	case PADI, PADO, PADR:
		return true, false
	case PADS, PADT, Session:
		return true, true
	}
	return false, false
}
