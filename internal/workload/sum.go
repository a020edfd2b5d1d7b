package workload

import (
	"slices"

	"weir"
)

// sum is what several directions have come to together. Each has moved its
// octets in its own time, so that of the sum is the one in which its octets
// make the sum of their rates.
func sum(parts []weir.Transferred) weir.Transferred {
	whole := parts[0]
	if len(parts) == 1 {
		return whole
	}
	goodput, counted := 0., 0.
	whole.Octets, whole.Count, whole.Retransmitted, whole.CPU = 0, 0, 0, weir.EndsCPU{}
	whole.RTT = weir.Histogram{}
	whole.Rates = slices.Clone(parts[0].Rates)
	for i, p := range parts {
		goodput, counted = goodput+p.Goodput(), counted+p.PerSecond()
		whole.Octets += p.Octets
		whole.Count += p.Count
		whole.Retransmitted += p.Retransmitted
		whole.CPU.Source += p.CPU.Source
		whole.CPU.Destination += p.CPU.Destination
		whole.RTT.Merge(p.RTT)
		whole.Took = max(whole.Took, p.Took)
		if i > 0 {
			whole.Disks = append(whole.Disks, p.Disks...)
			whole.Rates = added(whole.Rates, p.Rates)
		}
	}
	if goodput > 0 {
		whole.Octets = uint64(goodput * whole.Took.Seconds() / 8)
	}
	if counted > 0 {
		whole.Count = uint64(counted * whole.Took.Seconds())
	}
	return whole
}

// added are two courses of a rate, one on top of the other, as long as both
// went on.
func added(a, b []float64) []float64 {
	out := slices.Clone(a[:min(len(a), len(b))])
	for i := range out {
		out[i] += b[i]
	}
	return out
}
