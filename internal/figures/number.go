package figures

import (
	"math"
	"strconv"
	"strings"

	"weir/frame"
	"weir/internal/document"
	"weir/internal/proof"
	"weir/internal/result"
)

// Missing is written where there is no number.
const Missing = "-"

// atLeast stands before a rate of which no upper bound is known.
const atLeast = ">="

// longest is what is written out: rates of no router have more digits.
const longest = 1e15

// Number is v with a fixed number of decimals and commas between thousands; what is
// larger than anything measured, with its power of ten.
func Number(v float64, decimals int) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return Missing
	case a >= longest:
		return strconv.FormatFloat(v, 'e', 2, 64)
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	var b strings.Builder
	if v < 0 && strings.Trim(s, "0.") != "" {
		b.WriteByte('-')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// Significant is v with as many decimals as it takes to show about three
// digits: 812, 81.2, 8.12.
func Significant(v float64) string {
	switch a := math.Abs(v); {
	case a >= 99.95 || a == 0:
		return Number(v, 0)
	case a >= 9.995:
		return Number(v, 1)
	case a >= .9995:
		return Number(v, 2)
	case a < smallest:
		return strconv.FormatFloat(v, 'e', 2, 64)
	}
	return Number(v, 3)
}

// smallest is what significant writes out: less would be 0.000.
const smallest = 5e-4

// plain is v as short as it goes, for times and shares that somebody asked for.
func plain(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// spent is a time in seconds that somebody waited: 0.25, 60, 7,200.
func spent(seconds float64) string {
	if seconds >= 100 {
		return Number(seconds, 0)
	}
	return plain(seconds)
}

// Exact is v for a program: every digit, no exponent.
func Exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Kpps is a rate in thousands of frames per second.
func Kpps(rate float64) string {
	if rate == 0 {
		return "0"
	}
	if math.Abs(rate) < 1000 {
		return Number(rate/1e3, 3)
	}
	return Number(rate/1e3, 1)
}

// megabits is a rate of frames of a mean size in Mbit/s at layer 2: with the
// FCS, without preamble and gap.
func megabits(rate, octets float64) string { return Significant(frame.BitRate(rate, octets) / 1e6) }

// Micros is a time in microseconds.
func Micros(seconds float64) string {
	if seconds >= 1e-3 {
		return Number(seconds*1e6, 0)
	}
	return Number(seconds*1e6, 1)
}

// nanos is a time in nanoseconds; missing when it is 0, which means unknown.
func nanos(seconds float64) string {
	if seconds == 0 {
		return Missing
	}
	return Significant(seconds * 1e9)
}

// cpuPercent is the share of the DUT's CPUs that a result took, in percent. What is read
// around a trial may hold more than its time has, and no CPU has more than 100 %.
func cpuPercent(share float64) string { return Number(min(share, 1)*100, 0) }

// Percent is a share as a percentage with as many digits as it needs.
func Percent(share float64) string {
	p := share * 100
	if a := math.Abs(p); a > 0 && a < .001 {
		return plain(p)
	}
	return strings.TrimSuffix(strings.TrimRight(Number(p, 3), "0"), ".")
}

// Finite reports whether v is a number that can be shown.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Count is a number of frames.
func Count(n uint64) string { return Number(float64(n), 0) }

// A unit is how people read values of a base unit.
type unit struct {
	name  string               // in the heading of a column
	in    func(float64) string // a value in such a column
	alone func(float64) string // a value with the unit that suits it
}

// units are those of values and figures that are scaled.
var units = map[string]unit{
	"frames/s": {"kpps", Kpps, func(v float64) string { return Kpps(v) + " kpps" }},
	"bit/s":    {"Mbit/s", megabitScale.Of, BitRate},
	"s":        {"us", Micros, seconds},
	"s/frame":  {"ns/frame", nanos, func(v float64) string { return nanos(v) + " ns/frame" }},
	"":         {"", significantOrWhole, func(v float64) string { return Percent(v) + " %" }},
}

// unitNamed is a unit: of others than these, what is counted is written as it is.
func unitNamed(name string) unit {
	if u, known := units[name]; known {
		return u
	}
	return unit{name, significantOrWhole, func(v float64) string { return significantOrWhole(v) + " " + name }}
}

// UnitOf returns the unit in which people read a metric, of results that are in another one,
// and what writes a value in it.
func UnitOf(m result.Metric, ofResult string) (name string, in func(float64) string) {
	if m.Unit != result.OfResult {
		ofResult = m.Unit
	}
	u := unitNamed(ofResult)
	return u.name, u.in
}

// Quantity is a value with its unit, scaled for people; a result without a unit is a
// loss ratio.
func Quantity(v float64, unit string) string { return unitNamed(unit).alone(v) }

// unitOfValues is that of the values of a comparison. One without a unit is of numbers.
func unitOfValues(c proof.Comparison) unit {
	switch {
	case c.Figure != "" && result.Named(c.Figure).Unit == "s/frame": // which its name says
		return unit{"ns", nanos, func(v float64) string { return nanos(v) + " ns" }}
	case c.Unit == "":
		return unit{"", significantOrWhole, significantOrWhole}
	}
	return unitNamed(c.Unit)
}

// UnitOfValues returns the unit in which people read the values of a comparison.
func UnitOfValues(c proof.Comparison) string { return unitOfValues(c).name }

// Scale returns that after its name.
func Scale(c proof.Comparison) string { return document.On(", ", unitOfValues(c).name) }

// ScaledValue is a value in the unit of Scale.
func ScaledValue(v float64, c proof.Comparison) string {
	if !Finite(v) || v == 0 {
		return Missing
	}
	return unitOfValues(c).in(v)
}

// QuantityOf is a value of a comparison with its unit.
func QuantityOf(c proof.Comparison, v float64) string { return unitOfValues(c).alone(v) }

// OctetsOf is the frame size that a comparison is of, in octets; 0 where it is no number.
func OctetsOf(c proof.Comparison) float64 {
	v, known := result.Number(c.Factors["frame_size"])
	if !known {
		return 0
	}
	return v
}
