package endhost

import (
	"net/netip"
	"sort"
	"time"

	"weir"
)

// PathProbe are the settings of the role "path-probe": it finds the largest
// packets that pass to the role "echo-serve" and from there without being
// fragmented, and the round trip of a path without load.
type PathProbe struct {
	Address netip.Addr    `json:"address"`
	Port    int           `json:"port"`
	Size    int           `json:"size,omitempty"`   // octets of the packets that have to pass, headers included; 0: the largest that do are looked for
	Echoes  int           `json:"echoes,omitempty"` // round trips whose time is taken; 0: none
	Every   time.Duration `json:"every,omitempty"`  // between two of these
}

// PathReport is what comes of "path-probe".
type PathReport struct {
	There Passage        `json:"there"` // to the server
	Back  Passage        `json:"back"`  // from the server
	RTT   weir.Histogram `json:"rtt,omitzero"`
	Lost  int            `json:"lost,omitempty"` // of Echoes
}

// Passage is what one direction of a path lets through.
type Passage struct {
	Largest int  `json:"largest"`        // octets of the largest packets that passed, at most those that were asked for
	Passes  bool `json:"passes"`         // those that were asked for do
	Cut     int  `json:"cut,omitempty"`  // octets of the fragments that packets came in although that is forbidden; 0: none did
	Port    int  `json:"port,omitempty"` // MTU of the sending port, where that is what refuses; 0: it is not
}

// SmallestMTU is what every path takes (RFC 791 has 576 octets as what every
// host takes, RFC 8200 has 1280 for every link).
func SmallestMTU(f weir.Family) int {
	if f == weir.IPv6 {
		return 1280
	}
	return 576
}

// largest is the largest size for which passes is true, at least low, which is
// known to pass, and less than high, which is known not to.
func largest(low, high int, passes func(int) (bool, error)) (n int, err error) {
	n = low + sort.Search(high-low-1, func(i int) bool {
		ok := false
		if err == nil {
			ok, err = passes(low + 1 + i)
		}
		return !ok
	})
	return n, err
}
