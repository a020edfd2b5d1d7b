package figures

import (
	"weir/internal/document"
	"weir/internal/proof"
	"weir/internal/result"
)

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

// unitNamed is a unit: of others than these, what is counted is told as it is.
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
	case c.Figure == proof.CPUPerFrame:
		return unit{"ns", nanos, func(v float64) string { return nanos(v) + " ns" }}
	case c.Unit == "":
		return unit{"", significantOrWhole, significantOrWhole}
	}
	return unitNamed(c.Unit)
}

// Scale is the unit of the values of a comparison, after its name.
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
	v, known := numeric(c.Factors["frame_size"])
	if !known {
		return 0
	}
	return v
}
