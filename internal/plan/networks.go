package plan

import (
	"weir"
	"weir/frame"
)

// drawsPerNetwork is how many flows a traffic to several networks has for each
// of them, so that flows that are drawn at random reach nearly all.
const drawsPerNetwork = 8

// destinationNetworks are the streams of t, with destinations in n networks
// rather than in the most that there are (RFC 2544 section 12), in a lab with
// so many pairs of ports.
func destinationNetworks(t weir.Traffic, pairs, n int) (forward, reverse weir.Stream) {
	forward, reverse = frame.DestinationNetworks(t.Family, pairs)
	for _, s := range []*weir.Stream{&forward, &reverse} {
		s.Destination.Count = s.Destination.Count / mostNetworks * n
	}
	return forward, reverse
}

// networksOf is in how many such networks the destinations of t lie; 0 where
// they are others.
func networksOf(t weir.Traffic) int {
	d := t.Forward.Destination
	for _, pairs := range []int{1, frame.MaxPairs} { // alike for all labs of several pairs
		most, _ := destinationNetworks(t, pairs, mostNetworks)
		each := most.Destination.Count / mostNetworks
		if most.Destination.Count = d.Count; d == most.Destination {
			return d.Count / each
		}
	}
	return 0
}
