package frame

import (
	"math"

	"weir"
)

// variant is a part of a traffic whose frames have the same headers but for
// addresses, ports and lengths: those of one family, with or without extension
// headers.
type variant struct {
	traffic weir.Traffic // of that family; Extensions are those that all of its frames have
	share   float64      // of all frames, above 0
}

// variants are the parts of t, the one of its family without extension headers
// first if there is one. A traffic that replays a capture has none.
func variants(t weir.Traffic) []variant {
	if t.Replay != nil {
		return nil
	}
	main, extensions, extended, blend := t, t.Extensions, t.Extended, t.Blend
	main.Extensions, main.Extended, main.Blend = nil, 0, nil
	families := []variant{{main, 1}}
	if blend != nil {
		other := main
		other.Family = otherFamily(t.Family)
		other.Forward, other.Reverse = blend.Forward, blend.Reverse
		families[0].share = 1 - blend.Share
		families = append(families, variant{other, blend.Share})
	}
	var all []variant
	for _, v := range families {
		long := v
		if v.traffic.Family == weir.IPv6 {
			v.share *= 1 - extended
			long.share *= extended
			long.traffic.Extensions = extensions
		} else {
			long.share = 0
		}
		for _, part := range []variant{v, long} {
			if part.share > 0 {
				all = append(all, part)
			}
		}
	}
	return all
}

func otherFamily(f weir.Family) weir.Family {
	if f == weir.IPv6 {
		return weir.IPv4
	}
	return weir.IPv6
}

// maxCycle is how many frames the sequence of kinds has at most before it
// begins again.
const maxCycle = 10_000

// cycle is the order in which the parts of a whole follow each other, as evenly
// spread as can be: the shortest one in which the shares are right, or one of
// maxCycle in which they are right within 1/maxCycle and none is left out.
func cycle(shares []float64) []int {
	const exact = 1e-9
	counts := make([]int, len(shares))
	for n := 1; n <= maxCycle; n++ {
		off := 0.0
		for i, s := range shares {
			near := math.Round(s * float64(n))
			counts[i] = max(int(near), 1)
			off = max(off, math.Abs(s*float64(n)-float64(counts[i])))
		}
		if off < exact*float64(n) {
			break
		}
	}
	return spread(counts)
}
