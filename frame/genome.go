package frame

import (
	"errors"
	"fmt"

	"weir"
)

// genomeSizes are the letters of an IMIX Genome (RFC 6985 section 4). The size
// of z is that of the MTU.
var genomeSizes = map[rune]weir.Size{
	'a': 64, 'b': 128, 'c': 256, 'd': 512, 'e': 1024, 'f': 1280, 'g': 1518,
	'h': 2112, 'i': 9000, 'j': 16000,
}

// Genome is the sequence of frame sizes that an IMIX Genome spells, one letter
// a frame: a 64, b 128, c 256, d 512, e 1024, f 1280, g 1518, h 2112, i 9000, j
// 16000 (RFC 6985 section 4). An error names the letter that is not one of
// these and its position from 1. Of z see GenomeMTU.
func Genome(s string) ([]weir.Size, error) { return GenomeMTU(s, 0) }

// GenomeMTU is Genome for ports of an MTU, in octets: z is their largest frame,
// which is 18 octets more, and a letter whose frame is larger is an error that
// names it and its position. An mtu of 0 is one that is not known.
func GenomeMTU(s string, mtu int) ([]weir.Size, error) {
	if s == "" {
		return nil, errors.New("the genome is empty: give letters a to j (RFC 6985), for example aaadg")
	}
	if len(s) > MaxSizes {
		return nil, fmt.Errorf("the genome has %d letters: at most %d", len(s), MaxSizes)
	}
	largest := weir.Size(mtu + ethernetHeader + FCS)
	sizes := make([]weir.Size, 0, len(s))
	position := 0
	for _, letter := range s {
		position++
		size, known := genomeSizes[letter]
		switch {
		case letter == 'z' && mtu <= 0:
			return nil, fmt.Errorf("genome letter 'z' at position %d is a frame as large as the MTU allows, and the MTU is not known here: use a to j", position)
		case letter == 'z':
			size = largest
		case !known:
			known := "a to j"
			if mtu > 0 {
				known += " and z"
			}
			return nil, fmt.Errorf("genome letter %q at position %d is not known: use %s (RFC 6985 section 4)", letter, position, known)
		case mtu > 0 && size > largest:
			return nil, fmt.Errorf("genome letter %q at position %d is a frame of %d octets, and an MTU of %d allows %d: use a larger MTU, or smaller frames",
				letter, position, size, mtu, largest)
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}
