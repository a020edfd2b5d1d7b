package frame

import "encoding/binary"

// addWords adds b to a ones' complement sum as 16-bit words in network order,
// an odd octet at its end filled up with zero (RFC 1071). Words are taken in
// pairs: folded, the sum is the same (RFC 1071 section 2).
func addWords(sum uint64, b []byte) uint64 {
	for len(b) >= 4 {
		sum += uint64(binary.BigEndian.Uint32(b))
		b = b[4:]
	}
	if len(b) >= 2 {
		sum += uint64(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) == 1 {
		sum += uint64(b[0]) << 8
	}
	return sum
}

// fold brings a ones' complement sum to 16 bits. It stays other than zero.
func fold(sum uint64) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}
