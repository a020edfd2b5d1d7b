package frame

import "encoding/binary"

// The two forms of the signature, in octets and by their magic number.
const (
	FullSignature  = 18
	ShortSignature = 12

	MagicFull  = 0x7765 // "we"
	MagicShort = 0x7769 // "wi"
)

// Signature identifies a test frame (RFC 2544 section 10). It stands at the
// start of the payload, in network order:
//
//	full:   magic 16, stream 8, trial 8, sequence 48, time 64 bits
//	short:  magic 16, stream 8, trial 8, sequence 32, time 32 bits
//
// The short form is for frames without room for the full one. It leaves out the
// upper parts of sequence and time: the receiver restores them (Extend), which
// is right as long as a frame is fewer than 2^31 frames from its place and as
// long as its latency is below 4.29 s; above, latencies alias.
type Signature struct {
	Trial    uint8  // tells the frames of one trial from those of the last
	Stream   uint8  // which sending thread and direction
	Sequence uint64 // from 0 on within a stream; 48 bits are kept
	Time     uint64 // when it was sent, ns of a monotonic clock
}

// PutSignature writes s to the start of b, which has FullSignature octets or,
// for the short form, ShortSignature ones. It panics when b is shorter.
func PutSignature(b []byte, s Signature, short bool) {
	if short {
		b = b[:ShortSignature]
		binary.BigEndian.PutUint16(b, MagicShort)
		binary.BigEndian.PutUint32(b[4:], uint32(s.Sequence))
		binary.BigEndian.PutUint32(b[8:], uint32(s.Time))
	} else {
		b = b[:FullSignature]
		binary.BigEndian.PutUint16(b, MagicFull)
		binary.BigEndian.PutUint16(b[4:], uint16(s.Sequence>>32))
		binary.BigEndian.PutUint32(b[6:], uint32(s.Sequence))
		binary.BigEndian.PutUint64(b[10:], s.Time)
	}
	b[2], b[3] = s.Stream, s.Trial
}

// GetSignature reads the signature at the start of b, short when it has that
// form: then Sequence and Time are their low 32 bits. It is not ok when b
// begins with neither magic number or ends too early.
func GetSignature(b []byte) (s Signature, short, ok bool) {
	if len(b) < ShortSignature {
		return s, false, false
	}
	s.Stream, s.Trial = b[2], b[3]
	switch binary.BigEndian.Uint16(b) {
	case MagicShort:
		s.Sequence = uint64(binary.BigEndian.Uint32(b[4:]))
		s.Time = uint64(binary.BigEndian.Uint32(b[8:]))
		return s, true, true
	case MagicFull:
		if len(b) < FullSignature {
			break
		}
		s.Sequence = uint64(binary.BigEndian.Uint16(b[4:]))<<32 | uint64(binary.BigEndian.Uint32(b[6:]))
		s.Time = binary.BigEndian.Uint64(b[10:])
		return s, false, true
	}
	return Signature{}, false, false
}

// Extend is the number nearest to the expected one whose low 32 bits are low:
// what a short signature's sequence or time was before it was cut.
func Extend(expected uint64, low uint32) uint64 {
	return expected + uint64(int64(int32(low-uint32(expected))))
}

// signatureSize is the length of a signature in octets.
func signatureSize(short bool) int {
	if short {
		return ShortSignature
	}
	return FullSignature
}
