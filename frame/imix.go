package frame

import (
	"errors"
	"fmt"
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

// Genome is the sequence of frame sizes that an IMIX Genome spells, one letter
// a frame: a 64, b 128, c 256, d 512, e 1024, f 1280, g 1518 (RFC 6985 section
// 4). An error names the letter that is not one of these and its position from
// 1; h, i, j and z (2112 octets and more) are refused as too large.
func Genome(s string) ([]weir.Size, error) {
	if s == "" {
		return nil, errors.New("the genome is empty: give letters a to g (RFC 6985), for example aaadg")
	}
	sizes := make([]weir.Size, 0, len(s))
	position := 0
	for _, letter := range s {
		position++
		switch {
		case letter >= 'a' && letter <= 'g':
			sizes = append(sizes, Sizes[letter-'a'])
		case letter == 'h' || letter == 'i' || letter == 'j' || letter == 'z':
			return nil, fmt.Errorf("genome letter %q at position %d is a frame too large to send for now: use a to g (64 to 1518 octets)", letter, position)
		default:
			return nil, fmt.Errorf("genome letter %q at position %d is not known: use a to g (RFC 6985 section 4)", letter, position)
		}
	}
	return sizes, nil
}
