package report

import (
	"weir/internal/document"
	"weir/internal/proof"
)

// A unit is how people read values of a base unit.
type unit struct {
	name  string               // in the heading of a column
	in    func(float64) string // a value in such a column
	alone func(float64) string // a value with the unit that suits it
}

// units are those of values and figures.
var units = map[string]unit{
	"frames/s":       {"kpps", kpps, func(v float64) string { return kpps(v) + " kpps" }},
	"bit/s":          {"Mbit/s", megabitScale.of, bitRate},
	"s":              {"us", micros, seconds},
	"frames":         things("frames"),
	"octets":         things("octets"),
	"transactions/s": things("transactions/s"),
	"connections/s":  things("connections/s"),
	"":               {"", significantOrWhole, func(v float64) string { return percent(v) + " %" }},
}

// things is the unit of what is counted.
func things(name string) unit {
	return unit{name, significantOrWhole, func(v float64) string { return significantOrWhole(v) + " " + name }}
}

// unitNamed is a unit, of which reports may know nothing.
func unitNamed(name string) unit {
	if u, known := units[name]; known {
		return u
	}
	return unit{name, significantOrWhole, func(v float64) string { return number(v, 0) + " " + name }}
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

// scale is the unit of the values of a comparison, after its name.
func scale(c proof.Comparison) string { return document.On(", ", unitOfValues(c).name) }

// scaledValue is a value in the unit of scale.
func scaledValue(v float64, c proof.Comparison) string {
	if !finite(v) || v == 0 {
		return missing
	}
	return unitOfValues(c).in(v)
}

// quantityOf is a value of a comparison with its unit.
func quantityOf(c proof.Comparison, v float64) string { return unitOfValues(c).alone(v) }
