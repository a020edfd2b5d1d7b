package figures

import (
	"time"

	"weir"
	"weir/internal/chart"
)

// A clock is the unit of a time axis: seconds, or minutes or hours where these
// would be numbers too large to read.
type clock struct {
	name    string
	seconds float64
}

func clockFor(trials []weir.TrialResult) clock {
	all, longest := time.Duration(0), time.Duration(0)
	for _, t := range trials {
		all += t.Trial.Length()
		longest = max(longest, t.Trial.Length())
	}
	if !continuous(trials[0]) {
		all = longest // they lie on top of each other
	}
	switch {
	case all > 10*time.Hour:
		return clock{"h", 3600}
	case all > 10*time.Minute:
		return clock{"min", 60}
	}
	return clock{"s", 1}
}

func (k clock) axis() chart.Axis {
	return chart.Axis{Label: "time of sending, " + k.name, Plain: true}
}

// scaled are points over seconds in the unit of the clock.
func (k clock) scaled(points []chart.Point) []chart.Point {
	for i := range points {
		points[i].X /= k.seconds
	}
	return points
}

// moment is an upright line at which something was done in a trial: the load
// fell, or an event took place. Nothing when nothing was done.
func (k clock) moment(t weir.TrialResult) []chart.Series {
	var at time.Duration
	var name string
	switch {
	case t.Trial.Then != nil:
		at, name = t.Trial.Duration, "the load falls"
	case t.Happened != nil && t.Trial.Event != nil:
		at, name = t.Happened.Began, t.Trial.Event.Name
	default:
		return nil
	}
	x := at.Seconds() / k.seconds
	return []chart.Series{{Name: name, Color: chart.Muted, Line: true, Dashed: true, Points: []chart.Point{{X: x}, {X: x, Y: 100}}}}
}
