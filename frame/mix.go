package frame

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"weir"
)

// MaxSizes is how many frame sizes a traffic may list.
const MaxSizes = 1 << 14

// Share is how often a frame size occurs in a mix.
type Share struct {
	Size   weir.Size
	Weight int // frames of this size among the sum of all weights, >= 1
}

// Mix spells a custom mix out: each size as often as its weight says, the
// weights divided by what they have in common, in an order that spreads every
// size as evenly as it can be. The order depends on the shares alone; no RFC
// standardises a mix, so a report spells it out, too (RFC 6985 section 5). It
// is an error when there is no share, a weight is below 1, a size is there
// twice or is none of an Ethernet frame, or the sequence would be longer than
// MaxSizes.
func Mix(shares ...Share) ([]weir.Size, error) {
	if len(shares) == 0 {
		return nil, errors.New("the mix is empty: give frame sizes with their weights, for example 64:7 594:4 1518:1")
	}
	common, sum := 0, 0
	for i, s := range shares {
		if err := validateSizes([]weir.Size{s.Size}); err != nil {
			return nil, err
		}
		if s.Weight < 1 || s.Weight > 1<<30 {
			return nil, fmt.Errorf("frame size %d has weight %d: it has to be between 1 and %d", s.Size, s.Weight, 1<<30)
		}
		if slices.ContainsFunc(shares[:i], func(o Share) bool { return o.Size == s.Size }) {
			return nil, fmt.Errorf("frame size %d is in the mix twice: give it one weight", s.Size)
		}
		common = int(gcd(uint64(common), uint64(s.Weight)))
	}
	counts := make([]int, len(shares))
	for i, s := range shares {
		counts[i] = s.Weight / common
		if sum += counts[i]; sum > MaxSizes {
			return nil, fmt.Errorf("the weights come to more than %d frames: use smaller ones", MaxSizes)
		}
	}
	sizes := make([]weir.Size, 0, sum)
	for _, i := range spread(counts) {
		sizes = append(sizes, shares[i].Size)
	}
	return sizes, nil
}

// spread is a sequence that has each index as often as its count says, as
// evenly as it can be: occurrence k of n belongs at (2k+1)/2n of the whole, and
// of those that belong at one place the lower index comes first.
func spread(counts []int) []int {
	type occurrence struct{ index, numerator, denominator int }
	var all []occurrence
	for i, n := range counts {
		for k := range n {
			all = append(all, occurrence{i, 2*k + 1, 2 * n})
		}
	}
	slices.SortStableFunc(all, func(a, b occurrence) int {
		return cmp.Compare(int64(a.numerator)*int64(b.denominator), int64(b.numerator)*int64(a.denominator))
	})
	order := make([]int, len(all))
	for i, o := range all {
		order[i] = o.index
	}
	return order
}

// RandomSizes are n frame sizes between low and high, both included, drawn
// evenly with a seed: the same sequence for the same arguments, in every trial
// and release (RFC 6985 section 6). About 1000 of them are enough that their
// mean is within 1 % of the middle for bounds like 350 and 550. It is an error
// when the bounds are not in order or no sizes of Ethernet frames, or when n is
// not 1 to MaxSizes.
func RandomSizes(low, high weir.Size, n int, seed uint64) ([]weir.Size, error) {
	if low > high {
		return nil, fmt.Errorf("random sizes: the lower bound %d is above the upper one, %d", low, high)
	}
	if err := validateSizes([]weir.Size{low, high}); err != nil {
		return nil, fmt.Errorf("random sizes: %w", err)
	}
	if n < 1 || n > MaxSizes {
		return nil, fmt.Errorf("random sizes: %d of them are not between 1 and %d", n, MaxSizes)
	}
	draws := rand.New(rand.NewPCG(seed, drawSize))
	sizes := make([]weir.Size, n)
	for i := range sizes {
		sizes[i] = low + weir.Size(draws.Uint32N(uint32(high-low)+1))
	}
	return sizes, nil
}
