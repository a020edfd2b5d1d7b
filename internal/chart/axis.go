package chart

import (
	"math"
	"strconv"
)

// An Axis maps values to places. Min and Max widen the range that the points
// need; on a linear axis the range begins at 0 unless Free says otherwise.
type Axis struct {
	Label       string  `json:"label"`
	Log         bool    `json:"log,omitempty"`
	Percentiles bool    `json:"percentiles,omitempty"` // the value of the percentile q is 1/(1-q), so that every nine gets the same room; needs Log
	Categories  bool    `json:"categories,omitempty"`  // the values are the numbers of the ticks
	Free        bool    `json:"-"`                     // a linear axis need not begin at 0
	Plain       bool    `json:"plain,omitempty"`       // thousands are written out, not as 812 k
	Min         float64 `json:"min"`
	Max         float64 `json:"max"`
	Ticks       []Tick  `json:"ticks,omitempty"` // nice ones when empty

	from, to float64 // places of Min and Max
}

// A Tick is a marked value of an axis.
type Tick struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// shows reports whether v has a place on the axis: a logarithmic one has none
// for 0.
func (a *Axis) shows(v float64) bool { return finite(v) && (!a.Log || v > 0) }

func (a *Axis) include(v float64) {
	if a.Min == 0 && a.Max == 0 && (a.Log || a.Free) {
		a.Min, a.Max = v, v
	}
	a.Min, a.Max = min(a.Min, v), max(a.Max, v)
}

// settle fixes the range and finds ticks, about n of them.
func (a *Axis) settle(n int) {
	if a.Log && a.Min <= 0 {
		a.Min, a.Max = 1, 10
	}
	if a.Max <= a.Min {
		if a.Log || a.Free && a.Min > 0 { // one value lies in the middle, not on the edge
			a.Min, a.Max = a.Min/2, a.Min*2
		} else {
			a.Max = a.Min + 1
		}
	}
	if len(a.Ticks) > 0 {
		return
	}
	values := niceLinear(a.Min, a.Max, n)
	ends := values
	switch {
	case a.Percentiles:
		values, ends = []float64{2, 10, 1e2, 1e3, 1e4, 1e5, 1e6}, []float64{a.Min, a.Max}
	case a.Log:
		values, ends = niceLog(a.Min, a.Max, n), enclose(a.Min, a.Max, []float64{1, 2, 5})
	}
	a.Min, a.Max = ends[0], ends[len(ends)-1]
	for _, v := range values {
		if v >= a.Min*(1-1e-9) && v <= a.Max*(1+1e-9) {
			a.Ticks = append(a.Ticks, Tick{v, a.label(v)})
		}
	}
}

// at is the place of v.
func (a Axis) at(v float64) float64 {
	share := (v - a.Min) / (a.Max - a.Min)
	if a.Log {
		share = math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	}
	return a.from + share*(a.to-a.from)
}

// labelAt is the middle of a tick's label, which stays within the chart.
func (a Axis) labelAt(t Tick) float64 {
	half := float64(len([]rune(t.Label))) * charWidth / 2
	return min(max(a.at(t.Value), half), a.to+chartRight-half)
}

// fitting are the ticks whose labels have room; where two collide the last
// tick of all wins, then the earlier one.
func (a Axis) fitting() []Tick {
	var out []Tick
	half := func(t Tick) float64 { return float64(len([]rune(t.Label)))*charWidth/2 + 4 }
	clear := func(s, t Tick) bool { return math.Abs(a.labelAt(t)-a.labelAt(s)) >= half(s)+half(t) }
	for i, t := range a.Ticks {
		last := a.Ticks[len(a.Ticks)-1]
		if i < len(a.Ticks)-1 && !clear(t, last) || len(out) > 0 && !clear(out[len(out)-1], t) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// niceLinear are at most about n multiples of 1, 2 or 5 times a power of ten
// that enclose low and high.
func niceLinear(low, high float64, n int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(n))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*m) <= float64(n) {
			step *= m
			break
		}
	}
	var out []float64
	for i := math.Floor(low/step + 1e-9); i <= math.Ceil(high/step-1e-9); i++ {
		out = append(out, i*step)
	}
	return out
}

// niceLog are values 1, 2 and 5 times powers of ten that enclose low and high;
// fewer to a decade where that would be more than about n.
func niceLog(low, high float64, n int) []float64 {
	var out []float64
	for _, mantissas := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if out = enclose(low, high, mantissas); len(out) <= n+1 {
			break
		}
	}
	return out
}

// enclose are the mantissas times powers of ten from the last that is not
// above low to the first that is not below high; two of them at least.
func enclose(low, high float64, mantissas []float64) []float64 {
	var out []float64
	for e := math.Floor(math.Log10(low)); ; e++ {
		for _, m := range mantissas {
			v := m * math.Pow(10, e)
			if len(out) == 1 && v <= low*(1+1e-9) {
				out[0] = v
				continue
			}
			out = append(out, v)
			if len(out) > 1 && v >= high*(1-1e-9) {
				return out
			}
		}
	}
}

// label returns a value as a tick has it.
func (a Axis) label(v float64) string {
	switch {
	case a.Percentiles:
		return percentile(v)
	case a.Plain && v >= 1000:
		return grouped(uint64(math.Round(v)))
	case a.Plain:
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return short(v)
}

// percentile is the percentile of a value of an axis of Percentiles.
func percentile(v float64) string { return strconv.FormatFloat(100-100/v, 'g', 6, 64) + " %" }

// short is a number with the prefix that keeps it short: 812 k, 14.9 M.
func short(v float64) string {
	for _, p := range []struct {
		factor float64
		prefix string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if math.Abs(v) >= p.factor {
			return strconv.FormatFloat(v/p.factor, 'g', 3, 64) + p.prefix
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
