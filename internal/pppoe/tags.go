package pppoe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// TagType is what a tag holds (RFC 2516 appendix A, RFC 4638 section 4).
type TagType uint16

// The types of tags.
const (
	EndOfList        TagType = 0x0000
	ServiceName      TagType = 0x0101
	ACName           TagType = 0x0102
	HostUniq         TagType = 0x0103
	ACCookie         TagType = 0x0104
	VendorSpecific   TagType = 0x0105
	RelaySessionID   TagType = 0x0110
	PPPMaxPayload    TagType = 0x0120
	ServiceNameError TagType = 0x0201
	ACSystemError    TagType = 0x0202
	GenericError     TagType = 0x0203
)

// Tag is one TLV of a discovery packet.
type Tag struct {
	Type  TagType
	Value []byte
}

// Tags are the payload of a discovery packet, in its order.
type Tags []Tag

// DecodeTags reads the payload of a discovery packet up to its end or the
// End-Of-List. Values are parts of b.
func DecodeTags(b []byte) (Tags, error) {
	var tags Tags
	for len(b) > 0 {
		if len(b) < 4 {
			return nil, errors.New("tags end within a header")
		}
		t, length := TagType(binary.BigEndian.Uint16(b)), int(binary.BigEndian.Uint16(b[2:]))
		if b = b[4:]; length > len(b) {
			return nil, fmt.Errorf("tag %#04x of %d octets in %d", t, length, len(b))
		}
		switch {
		case t == EndOfList && length > 0:
			return nil, fmt.Errorf("End-Of-List of %d octets", length)
		case t == EndOfList:
			return tags, nil
		case t == PPPMaxPayload && length != 2:
			return nil, fmt.Errorf("PPP-Max-Payload of %d octets", length)
		}
		tags = append(tags, Tag{t, b[:length]})
		b = b[length:]
	}
	return tags, nil
}

// Append adds the octets of the tags to b.
func (t Tags) Append(b []byte) []byte {
	for _, tag := range t {
		b = binary.BigEndian.AppendUint16(b, uint16(tag.Type))
		b = binary.BigEndian.AppendUint16(b, uint16(len(tag.Value)))
		b = append(b, tag.Value...)
	}
	return b
}

// Get returns the value of the first tag of a type.
func (t Tags) Get(wanted TagType) (value []byte, found bool) {
	for _, tag := range t {
		if tag.Type == wanted {
			return tag.Value, true
		}
	}
	return nil, false
}

// service returns the one Service-Name that a PADI, PADR or PADS has.
func (t Tags) service() (name []byte, found bool) {
	n := 0
	for _, tag := range t {
		if tag.Type == ServiceName {
			name = tag.Value
			n++
		}
	}
	return name, n == 1
}

func (t Tags) has(wanted Tag) bool {
	for _, tag := range t {
		if tag.Type == wanted.Type && bytes.Equal(tag.Value, wanted.Value) {
			return true
		}
	}
	return false
}

// echoed are the tags that an answer repeats unmodified, of those types.
func (t Tags) echoed(types ...TagType) (answer Tags) {
	for _, wanted := range types {
		if value, ok := t.Get(wanted); ok {
			answer = append(answer, Tag{wanted, value})
		}
	}
	return answer
}

// refusal is what an error tag says, if there is one.
func (t Tags) refusal() (reason string, refused bool) {
	for _, tag := range t {
		switch tag.Type {
		case ServiceNameError:
			return fmt.Sprintf("the concentrator does not have this service: %q", tag.Value), true
		case ACSystemError:
			return fmt.Sprintf("the concentrator cannot serve: %q", tag.Value), true
		case GenericError:
			return fmt.Sprintf("the concentrator reports an error: %q", tag.Value), true
		}
	}
	return "", false
}

// maxPayload is what both ends can take as a PPP frame, by the tag of the
// client and what this end can (RFC 4638 section 5.1): the MRU at most. A port
// may carry less than Ethernet's does.
func (t Tags) maxPayload(own uint16) uint16 {
	if value, ok := t.Get(PPPMaxPayload); ok {
		return min(max(ethernetMax, binary.BigEndian.Uint16(value)), own)
	}
	return min(ethernetMax, own)
}

// payloadTag asks for PPP frames of up to n octets, where that is more than
// anybody can (RFC 4638 section 4).
func payloadTag(n uint16) Tags {
	if n <= ethernetMax {
		return nil
	}
	return Tags{{PPPMaxPayload, binary.BigEndian.AppendUint16(nil, n)}}
}
