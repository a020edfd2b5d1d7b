package workload

import (
	"slices"

	"weir"
)

// sumDirections is what several directions have come to together. Each has taken
// its own time. The sum has the longest of these, and as many octets as make the
// sum of the rates in it.
func sumDirections(parts []weir.Transferred) weir.Transferred {
	whole := parts[0]
	if len(parts) == 1 {
		return whole
	}
	goodput, completed := 0., 0.
	whole.Octets, whole.Count, whole.Retransmitted, whole.CPU = 0, 0, 0, weir.EndsCPU{}
	whole.RTT = weir.Histogram{}
	whole.Rates = slices.Clone(parts[0].Rates)
	for i, p := range parts {
		goodput, completed = goodput+p.Goodput(), completed+p.PerSecond()
		whole.Octets += p.Octets
		whole.Count += p.Count
		whole.Retransmitted += p.Retransmitted
		whole.CPU.Source += p.CPU.Source
		whole.CPU.Destination += p.CPU.Destination
		whole.RTT.Merge(p.RTT)
		whole.Took = max(whole.Took, p.Took)
		if i > 0 {
			whole.Disks = append(whole.Disks, p.Disks...)
			whole.Figures = addFigures(whole.Figures, p.Figures)
			whole.Rates = addRates(whole.Rates, p.Rates)
		}
	}
	if goodput > 0 {
		whole.Octets = uint64(goodput * whole.Took.Seconds() / 8)
	}
	if completed > 0 {
		whole.Count = uint64(completed * whole.Took.Seconds())
	}
	return whole
}

// addRates is the sum of two series of rates, as far as both go.
func addRates(a, b []float64) []float64 {
	out := slices.Clone(a[:min(len(a), len(b))])
	for i := range out {
		out[i] += b[i]
	}
	return out
}

// addFigures adds what one direction has counted to the figures of the other one.
// Times and shares are those of the other one: their sum says nothing, and their
// mean is not known.
func addFigures(all, more []weir.Figure) []weir.Figure {
	out := slices.Clone(all)
	for i, f := range out {
		at := slices.IndexFunc(more, func(o weir.Figure) bool { return o.Name == f.Name && o.Unit == f.Unit })
		if at >= 0 && slices.Contains(countedUnits, f.Unit) {
			out[i].Value += more[at].Value
		}
	}
	for _, f := range more {
		if slices.Contains(countedUnits, f.Unit) && !slices.ContainsFunc(all, func(o weir.Figure) bool { return o.Name == f.Name }) {
			out = append(out, f)
		}
	}
	return out
}

// countedUnits are the units of what is counted.
var countedUnits = []string{"datagrams", "echoes", "connections", "transactions", "sessions"}
