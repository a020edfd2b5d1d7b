package stats

import (
	"bytes"
	"math"
	"strings"
)

// scale places values in the columns of a plot.
type scale struct {
	start, step float64
	width       int
}

// column is where a value goes. Only where all values are within a few of the
// smallest steps of a float64 does rounding lead out of the plot.
func (s scale) column(v float64) int {
	return min(max(int((v-s.start)/s.step), 0), s.width-1)
}

// plot draws each value of the sets, and below them their means (A), medians
// (M) and deviations from the mean (|__|).
func plot(b *strings.Builder, sets []figures, o MinistatOptions) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, f := range sets {
		low = min(low, f.min(), f.mean-f.deviation())
		high = max(high, f.max(), f.mean+f.deviation())
	}
	step := (high - low) / (float64(o.Width) - 1)
	if high == low || step == 0 {
		b.WriteString("[no plot, span is zero width]\n")
		return
	}
	s := scale{low - float64(.5*step), step, o.Width}

	ruler := "+" + strings.Repeat("-", o.Width) + "+\n"
	b.WriteString(ruler)
	rows := stacked(sets, s)
	for i := len(rows) - 1; i >= 0; i-- {
		b.WriteByte('|')
		for _, k := range rows[i] {
			b.WriteByte(symbols[k])
		}
		b.WriteString("|\n")
	}
	for _, bar := range bars(sets, s, o) {
		b.WriteByte('|')
		b.Write(bar)
		b.WriteString("|\n")
	}
	b.WriteString(ruler)
}

// stacked are the rows of values, the lowest first. Values of one set that
// share a column lie upon each other. Where several sets share a place, the bits
// of their numbers are united, as ministat does it: x and + make *, the symbol of
// the third set.
//
// ministat makes its picture as high as the last set needs it: where an earlier
// one stood higher, its top is cut off, and what a later one brings back is
// empty. Its output is the measure here.
func stacked(sets []figures, s scale) [][]byte {
	var rows [][]byte
	for i, f := range sets {
		need := 1
		each(f, s, func(_, height int) { need = max(need, height) })
		if need < len(rows) {
			rows = rows[:need]
		}
		for len(rows) < need {
			rows = append(rows, make([]byte, s.width))
		}
		each(f, s, func(column, height int) { rows[height-1][column] |= byte(i + 1) })
	}
	return rows
}

// each calls place with the column of each value, and its height in it from 1.
func each(f figures, s scale, place func(column, height int)) {
	last, height := -1, 0
	for _, v := range f.sorted {
		column := s.column(v)
		if column != last {
			last, height = column, 0
		}
		height++
		place(column, height)
	}
}

// bars are the lines below the values: one for all sets, which draw over each
// other, or one for each.
func bars(sets []figures, s scale, o MinistatOptions) [][]byte {
	var out [][]byte
	for i, f := range sets {
		if i == 0 || o.SeparateBars {
			out = append(out, bytes.Repeat([]byte{' '}, o.Width))
		}
		bar := out[len(out)-1]
		from, to := s.column(f.mean-f.deviation()), s.column(f.mean+f.deviation())
		bar[to], bar[from] = '|', '|'
		for x := from + 1; x < to; x++ {
			if bar[x] == ' ' {
				bar[x] = '_'
			}
		}
		bar[s.column(middle(f.sorted))] = 'M'
		bar[s.column(f.mean)] = 'A'
	}
	return out
}
