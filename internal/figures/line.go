package figures

import (
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/frame"
	"weir/internal/claim"
	"weir/internal/result"
)

// onALine reports whether the link of any row's result is known.
func (g Grid) onALine(of func(row) *weir.Result) bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return result.LineShare(of(w)) > 0 })
}

// A medium is an Ethernet whose theoretical rate is shown with measured ones.
type medium struct {
	name string
	bits float64 // per second
}

var media = []medium{
	{"100MbE", 100e6}, {"1GbE", 1e9}, {"2.5GbE", 2.5e9}, {"5GbE", 5e9},
	{"10GbE", 10e9}, {"25GbE", 25e9}, {"40GbE", 40e9}, {"100GbE", 100e9},
}

// mediumFor returns the link of g, all its sending ports together; false where none is known, as
// virtual ones have no rate.
func mediumFor(g Grid) (medium, bool) {
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if line, known := r.Figure(claim.TheoreticalMaximum); known && w.Mean > 0 {
				return mediumOf(line / frame.LineRate(1, w.Mean)), true
			}
		}
	}
	return medium{}, false
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

// evenly is the ratio of the highest of some rates to the lowest up to which they are
// called the same at all sizes.
const evenly = 1.1

// ImixEstimate is the bandwidth that the zero-loss rate of 64-octet frames would give
// with the simple IMIX, with a label that says whose rate that is, or why there is no
// such estimate. It takes for granted that the DUT is limited by frames, whatever their
// size: "" where no larger size shows that, or no search for such a rate ended above 0.
func ImixEstimate(g Grid) (label, text string) {
	if g.Runs != nil {
		return "", "" // an experiment compares, and estimates nothing
	}
	for _, w := range g.Rows {
		r := w.Rates[0]
		if w.Octets != 64 || !limits(r) {
			continue
		}
		sizes, rates := sizesOfGroup(g, w)
		if len(sizes) < 2 {
			continue
		}
		from := "the 64-octet rate"
		if w.Group != "" {
			from += " (" + w.Group + ")"
		}
		if spread(rates) <= evenly {
			return "IMIX estimate from " + from, Significant(frame.BandwidthEstimate(r.Value)/1e6) + " Mbit/s"
		}
		return "no IMIX estimate from " + from, limitWords(sizes, rates)
	}
	return "", ""
}

// limits reports whether a rate is that of the DUT, and no less.
func limits(r *weir.Result) bool {
	return r != nil && r.Value > 0 && r.Unmeasured == "" && r.Verdict == "" && !result.AtLeast(r)
}

// sizesOfGroup returns the sizes in octets of a row's group, that of the row first, with their
// rates in frames/s.
func sizesOfGroup(g Grid, of row) (sizes, rates []float64) {
	sizes, rates = []float64{float64(of.Octets)}, []float64{of.Rates[0].Value}
	for _, w := range g.Rows {
		if w.Octets > of.Octets && w.Group == of.Group && limits(w.Rates[0]) {
			sizes, rates = append(sizes, float64(w.Octets)), append(rates, w.Rates[0].Value)
		}
	}
	return sizes, rates
}

// spread is the ratio of the highest of some values to the lowest.
func spread(values []float64) float64 {
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return high / low
}

// limitWords say what limits a DUT whose rate in frames/s depends on their size.
func limitWords(sizes, rates []float64) string {
	for _, of := range []struct {
		octets float64 // in addition to those of the frame with FCS
		what   string
	}{{-18, "IP packets"}, {0, "frames"}, {20, "frames on the medium"}} {
		bits := make([]float64, len(sizes))
		sum := 0.
		for i, size := range sizes {
			bits[i] = rates[i] * (size + of.octets) * 8
			sum += bits[i]
		}
		if spread(bits) <= evenly {
			return fmt.Sprintf("the limit is one of octets and not of frames: %s Mbit/s of %s at all sizes", Significant(sum/float64(len(bits))/1e6), of.what)
		}
	}
	last := len(sizes) - 1
	return fmt.Sprintf("the rate in frames depends on their size: %s frames/s of %.0f octets, %s of %.0f",
		Significant(rates[0]), sizes[0], Significant(rates[last]), sizes[last])
}
