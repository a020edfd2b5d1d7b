package endhost

import (
	"encoding/binary"
	"time"
)

// A datagram begins with the test that it belongs to and its number, of its
// stream, from 0. Where there is room, the time follows at which it was sent, by
// a clock of the sender.

const timedPayload = MinPayload + 8

func label(b []byte, test, number uint64, at time.Duration) {
	binary.BigEndian.PutUint64(b, test)
	binary.BigEndian.PutUint64(b[8:], number)
	if len(b) >= timedPayload {
		binary.BigEndian.PutUint64(b[MinPayload:], uint64(at))
	}
}

func labelOf(b []byte) (test, number uint64) {
	return binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
}

// sentAt is when a datagram of at least timedPayload was sent.
func sentAt(b []byte) time.Duration { return time.Duration(binary.BigEndian.Uint64(b[MinPayload:])) }
