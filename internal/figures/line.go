package figures

import (
	"math"
	"slices"

	"weir"
	"weir/frame"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/result"
)

// lineCell is the same in per cent.
func lineCell(r *weir.Result) string {
	if share := result.LineShare(r); share > 0 {
		return Number(share*100, 1)
	}
	return Missing
}

// onALine reports whether the link of any row's result is known.
func (g Grid) onALine(of func(row) *weir.Result) bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return result.LineShare(of(w)) > 0 })
}

// A medium is an Ethernet whose theoretical rate stands beside measured ones.
type medium struct {
	name string
	bits float64 // per second
	// usual says that routers are compared with it where they have no link of their own.
	usual bool
}

var media = []medium{
	{"100MbE", 100e6, false}, {"1GbE", 1e9, true}, {"2.5GbE", 2.5e9, false}, {"5GbE", 5e9, false},
	{"10GbE", 10e9, true}, {"25GbE", 25e9, true}, {"40GbE", 40e9, true}, {"100GbE", 100e9, true},
}

// mediumFor is the link of g, all its sending ports together, or where none is known
// the slowest usual medium that carries all its rates.
func mediumFor(g Grid) medium {
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if line, known := r.Figure(claim.TheoreticalMaximum); known && w.Mean > 0 {
				return mediumOf(line / frame.LineRate(1, w.Mean))
			}
		}
	}
	for _, m := range media {
		if m.usual && !slices.ContainsFunc(g.Rows, func(w row) bool {
			limit := frame.LineRate(m.bits, w.Mean)
			return slices.ContainsFunc(w.Results, func(r *weir.Result) bool {
				return r.Unit == "frames/s" && Kind(r) != method.Ceiling && r.Value > limit
			})
		}) {
			return m
		}
	}
	return media[len(media)-1]
}

// mediumOf is the medium of some bit/s; that of several ports together has no name of
// its own.
func mediumOf(bits float64) medium {
	for _, m := range media {
		if math.Abs(bits/m.bits-1) < 1e-6 {
			return m
		}
	}
	return medium{name: Number(bits/1e9, 1) + " Gbit/s", bits: bits}
}
