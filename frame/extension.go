package frame

import (
	"fmt"
	"slices"

	"weir"
)

// extensionHeader is what an IPv6 extension header looks like whose content no
// node acts upon: options of padding, and a route with no segment left to
// visit, whose type is for experiments (RFC 4727).
type extensionHeader struct {
	number byte   // in the Next Header field before it
	octets []byte // with a Next Header of 0
}

// The lengths are those of RFC 5180 section 5.3.
var (
	padding = []byte{0, 0, padN, 4, 0, 0, 0, 0}
	route   = append([]byte{0, 32/8 - 1, 253, 0}, make([]byte, 28)...)

	extensionHeaders = map[weir.Extension]extensionHeader{
		weir.HopByHop:           {0, padding},
		weir.DestinationOptions: {60, padding},
		weir.RoutingHeader:      {43, route},
	}
)

// padN is the option that fills up with more than one octet (RFC 8200 section
// 4.2).
const padN = 1

// extensionLength is how many octets extension headers have.
func extensionLength(list []weir.Extension) int {
	n := 0
	for _, e := range list {
		n += len(extensionHeaders[e].octets)
	}
	return n
}

// appendExtensions appends extension headers before the header with the number
// last. The Next Header field before them is firstHeader.
func appendExtensions(b []byte, list []weir.Extension, last byte) []byte {
	for i, e := range list {
		at := len(b)
		b = append(b, extensionHeaders[e].octets...)
		b[at] = firstHeader(list[i+1:], last)
	}
	return b
}

// firstHeader is the number of the first of some extension headers, or last
// when there are none.
func firstHeader(list []weir.Extension, last byte) byte {
	if len(list) == 0 {
		return last
	}
	return extensionHeaders[list[0]].number
}

// validateExtensions checks what RFC 8200 section 4.1 says of order and number.
func validateExtensions(t weir.Traffic) error {
	if !isShare(t.Extended) {
		return fmt.Errorf("extended: %g is no share of the frames: it has to be between 0 and 1", t.Extended)
	}
	if len(t.Extensions) == 0 {
		if t.Extended > 0 {
			return fmt.Errorf("extended: %g of the frames are to have extension headers, but none is named in extensions", t.Extended)
		}
		return nil
	}
	if t.Extended == 0 {
		return fmt.Errorf("extensions are named, but extended, the share of the frames that have them, is 0")
	}
	if t.Family != weir.IPv6 && (t.Blend == nil || t.Blend.Share == 0) {
		return fmt.Errorf("extensions are for IPv6 alone, and there are no IPv6 frames: set the family to %s, or blend some in", weir.IPv6)
	}
	count := make(map[weir.Extension]int)
	for i, e := range t.Extensions {
		if _, known := extensionHeaders[e]; !known {
			return fmt.Errorf("extensions[%d]: %q is not known: use %s, %s or %s", i, e, weir.HopByHop, weir.DestinationOptions, weir.RoutingHeader)
		}
		count[e]++
	}
	switch {
	case slices.Index(t.Extensions, weir.HopByHop) > 0:
		return fmt.Errorf("extensions: %s has to be the first (RFC 8200 section 4.1)", weir.HopByHop)
	case count[weir.HopByHop] > 1 || count[weir.RoutingHeader] > 1 || count[weir.DestinationOptions] > 2:
		return fmt.Errorf("extensions: each can be there once, %s twice (RFC 8200 section 4.1)", weir.DestinationOptions)
	}
	return nil
}

func isShare(s float64) bool { return s >= 0 && s <= 1 }
