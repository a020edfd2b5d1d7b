package frame

import (
	"math"
	"math/bits"
	"net"
	"net/netip"

	"weir"
)

// maxBroadcast is the largest share of broadcast frames: one for each other
// frame.
const maxBroadcast = 0.5

// discard is the port of a service that takes whatever comes and answers
// nothing (RFC 863).
const discard = 9

// broadcastFlow is where broadcast frames go: to every node of the link, to a
// port at which nobody answers. They come from no address, so that no router
// has to look for the way back.
//
// RFC 2544 section 11.1 asks for frames that the router need not process, and
// refers to a text that does not say which. An unknown EtherType would do, but
// Linux counts those frames as dropped by the port, like frames that it should
// have forwarded.
var broadcastFlow = Flow{
	Source: netip.IPv4Unspecified(), Destination: netip.AddrFrom4([4]byte{255, 255, 255, 255}),
	SourcePort: discard, DestinationPort: discard,
}

// broadcastTraffic are the broadcast frames of t as a traffic: of its sizes,
// with its tags.
func broadcastTraffic(t weir.Traffic) weir.Traffic {
	return weir.Traffic{Sizes: t.Sizes, VLANs: t.VLANs, Seed: t.Seed, Family: weir.IPv4, Protocol: weir.UDP}
}

// broadcastRatio is how many broadcast frames go with each other frame when
// they are this share of all, in 2^-32, rounded up: a share of 1/100 is one
// after each 99 others.
func broadcastRatio(share float64) uint64 {
	const almost = 1e-3 // what a share that is no fraction of two is off by
	return uint64(math.Ceil(share/(1-share)*(1<<32) - almost))
}

// addBroadcast makes the broadcast frames of t.
func (b *Builder) addBroadcast(t weir.Traffic, source net.HardwareAddr) {
	if t.Broadcast == 0 {
		return
	}
	everyone := net.HardwareAddr{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	own := broadcastTraffic(t)
	b.broadcast = newKind(own, layoutOf(own), false, newFlowTable([]Flow{broadcastFlow}, nil), source, everyone, b.page)
}

// Broadcast is the kind of the broadcast frames; nil when there are none.
func (b *Builder) Broadcast() *Kind { return b.broadcast }

// Broadcasts is how many broadcast frames go before frame i of a stream: as
// many as make them Traffic.Broadcast of all frames.
func (b *Builder) Broadcasts(i uint64) uint64 {
	high, low := bits.Mul64(i, b.broadcastRatio)
	return high<<32 | low>>32
}

// BroadcastRatio is how many broadcast frames go with each frame, in 2^-32; 0:
// none.
func (b *Builder) BroadcastRatio() uint64 { return b.broadcastRatio }

// BroadcastFrame builds the i-th broadcast frame, from 0 on, as Frame builds
// others. It has no signature, so that nobody counts it. There are such frames
// when BroadcastRatio is not 0.
func (b *Builder) BroadcastFrame(dst []byte, i uint64) []byte {
	return b.build(dst, b.broadcast, i, Signature{})
}
