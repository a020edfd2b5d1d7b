package frame

import "weir"

const (
	// FCS is the frame check sequence's part of a weir.Size, in octets. Frames
	// in memory are without it.
	FCS = 4

	// Overhead is what a frame occupies on an Ethernet besides its own octets:
	// preamble 7, start delimiter 1, interframe gap 12 (IEEE 802.3).
	Overhead = 20
)

// Sizes are the frame sizes for Ethernet of RFC 2544 section 9.
var Sizes = []weir.Size{64, 128, 256, 512, 1024, 1280, 1518}

// LineRate is the theoretical maximum in frames/s of frames of size octets with
// FCS on an Ethernet of the given bit/s (RFC 2544 section 20): 1,488,095 for 64
// octets at 1 Gbit/s.
func LineRate(bits, size float64) float64 {
	return bits / (8 * (size + Overhead))
}

// BitRate is the rate in bit/s of frames/s of size octets, FCS included and
// nothing else: what is usually quoted as layer 2.
func BitRate(frames, size float64) float64 {
	return frames * size * 8
}

// WireRate is the share of an Ethernet's bit/s that frames/s of size octets
// take, with preamble and gap: what is usually quoted as layer 1.
func WireRate(frames, size float64) float64 {
	return frames * (size + Overhead) * 8
}
