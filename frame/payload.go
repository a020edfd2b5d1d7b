package frame

import (
	"encoding/binary"
	"math/rand/v2"
)

// What is drawn with Traffic.Seed comes from a generator of its own for each
// use, so that a change of one set leaves the others as they were.
const (
	drawPayload = iota + 1
	drawSource
	drawDestination
	drawSourcePort
	drawDestinationPort
	drawSize
	drawRoute
)

// Payload is the first n octets of the pseudorandom filler of a seed (RFC 4814
// section 3.2): the octet at an offset is the same for every n. It is neither
// all zeros nor all ones for any n, because a DUT or a link may treat these
// unlike other octets.
func Payload(seed uint64, n int) []byte {
	draws := rand.NewPCG(seed, drawPayload)
	b := make([]byte, (n+7)/8*8)
	for i := 0; i < n; i += 8 {
		binary.BigEndian.PutUint64(b[i:], draws.Uint64())
	}
	if n > 0 && (b[0] == 0x00 || b[0] == 0xff) {
		b[0] = 0x5a
	}
	return b[:n]
}
