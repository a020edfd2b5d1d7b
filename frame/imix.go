package frame

import (
	"slices"

	"weir"
)

// simpleIMIX spells the mix out: the 576-octet packets come every third frame,
// the 1500-octet one in the middle.
var simpleIMIX = []weir.Size{64, 594, 64, 64, 594, 64, 1518, 594, 64, 64, 594, 64}

// SimpleIMIX is the mix of IP packets of 40, 576 and 1500 octets in proportions
// 7:4:1, as frames of 64, 594 and 1518 octets with FCS: a 40-octet packet is
// padded to the shortest frame. The order of the 12 is always the same, as
// evenly spread as the proportions allow. No RFC standardises a mix (RFC 6985
// section 3), so a report spells these numbers out.
func SimpleIMIX() []weir.Size { return slices.Clone(simpleIMIX) }

// BandwidthEstimate is a rule of thumb for the bit/s of simple IMIX that a
// router of pps frames/s at the smallest size may carry. It takes the cost of a
// packet to be independent of its size, and counts IP packets with 14 octets of
// Ethernet header: PPS x (7 x (40+14) + 4 x (576+14) + (1500+14)) / 12 x 8. It
// is an estimate, never a measurement.
func BandwidthEstimate(pps float64) float64 {
	const cycle = 7*(40+14) + 4*(576+14) + (1500 + 14)
	return pps * cycle / 12 * 8
}
