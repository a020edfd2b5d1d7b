package wiring

import (
	"bytes"
	"encoding/binary"
	"time"
)

// The groups that switches with a spanning tree send to each other through (IEEE 802.1D, and
// those of Cisco's, one in each VLAN), and what their messages begin with.
var (
	bridges      = []byte{0x01, 0x80, 0xc2, 0, 0, 0}
	bridgesCisco = []byte{0x01, 0, 0x0c, 0xcc, 0xcc, 0xcd}
	toBridges    = []byte{0x42, 0x42, 3, 0, 0}                         // LLC, and the protocol
	toCisco      = []byte{0xaa, 0xaa, 3, 0, 0, 0x0c, 0x01, 0x0b, 0, 0} // likewise, by SNAP
)

// usualDelay is the forward delay of bridges that nobody has told another one.
const usualDelay = 15 * time.Second

// spanningTree reports whether a frame is one of a switch that keeps a spanning tree, and its
// forward delay: how long a port that has come up listens, and then again learns, before it
// forwards (IEEE 802.1D-2004 section 17.14).
func spanningTree(data []byte) (delay time.Duration, ok bool) {
	const header = 14
	if len(data) < header {
		return 0, false
	}
	at := 0
	switch rest := data[header:]; {
	case bytes.HasPrefix(data, bridges) && bytes.HasPrefix(rest, toBridges):
		at = header + len(toBridges)
	case bytes.HasPrefix(data, bridgesCisco) && bytes.HasPrefix(rest, toCisco):
		at = header + len(toCisco)
	default:
		return 0, false
	}
	// Behind version, type, flags, root, cost, bridge, port, age, largest age and the time between
	// two of these, in 1/256 s; a change of the tree is told without.
	at += 1 + 1 + 1 + 8 + 4 + 8 + 2 + 2 + 2 + 2
	if len(data) < at+2 {
		return usualDelay, true
	}
	delay = time.Duration(binary.BigEndian.Uint16(data[at:])) * time.Second / 256
	if delay < time.Second || delay > 30*time.Second {
		delay = usualDelay
	}
	return delay, true
}
