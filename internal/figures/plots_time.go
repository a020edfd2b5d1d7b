package figures

import (
	"fmt"
	"time"

	"weir"
	"weir/internal/chart"
)

// maxSteps is the most points of a line over time: what lies between is
// added up.
const maxSteps = 1000

// TimelinePlots show when frames were lost in the trials that have a timeline:
// the share that came back, over the time of sending. Trials that go on with
// each other follow one another, with a dot at each of the longest spans of
// loss; others, in each of which the same was done to the DUT, lie on top of
// each other.
func TimelinePlots(c weir.Campaign, g Grid) []chart.Chart {
	var out []chart.Chart
	for _, w := range g.Rows {
		for _, r := range w.Results {
			trials := selectTimelines(c, r)
			if len(trials) == 0 {
				continue
			}
			clock := clockFor(trials)
			p := chart.Chart{
				Title: fmt.Sprintf("%s, %s: %s", Sought(*r), w.Label, trialNumbers(trials)),
				X:     clock.axis(),
				Y:     chart.Axis{Label: "frames that came back, %", Max: 100},
			}
			color := len(out) % chart.Palette
			if continuous(trials[0]) {
				p.Series = append(p.Series, chart.Series{Color: color, Line: true, Points: clock.scaled(oneAfterOther(trials))}, clock.marks(trials, color+1))
			} else {
				for _, t := range trials {
					p.Series = append(p.Series, chart.Series{Color: color, Line: true, Points: clock.scaled(oneAfterOther([]weir.TrialResult{t}))})
				}
				p.Series = append(p.Series, clock.moment(trials[0])...)
			}
			out = append(out, p)
		}
	}
	return out
}

// trialNumbers is "trial 30", or "trials 30 to 53".
func trialNumbers(trials []weir.TrialResult) string {
	first, last := trials[0].Trial.Number, trials[len(trials)-1].Trial.Number
	if first == last {
		return fmt.Sprintf("trial %d", first)
	}
	return fmt.Sprintf("trials %d to %d", first, last)
}

// oneAfterOther are the shares that came back in trials that follow one
// another.
func oneAfterOther(trials []weir.TrialResult) []chart.Point {
	steps := 0
	for _, t := range trials {
		steps += len(t.Timeline.Intervals)
	}
	per := (steps + maxSteps - 1) / maxSteps
	var out []chart.Point
	begin := time.Duration(0)
	for _, t := range trials {
		for i := 0; i < len(t.Timeline.Intervals); i += per {
			var sent, received uint64
			for _, v := range t.Timeline.Intervals[i:min(i+per, len(t.Timeline.Intervals))] {
				sent, received = sent+v.Sent, received+v.Received
			}
			if sent > 0 {
				at := begin + t.Timeline.Intervals[i].From
				out = append(out, chart.Point{X: at.Seconds(), Y: float64(received) / float64(sent) * 100})
			}
		}
		begin += t.Trial.Length()
	}
	return out
}

// marks are dots at the longest spans of loss.
func (k clock) marks(trials []weir.TrialResult, color int) chart.Series {
	s := chart.Series{Name: "frames lost", Color: color % chart.Palette, Dots: true}
	spans, _ := spansOf(trials)
	for _, v := range spans {
		s.Points = append(s.Points, chart.Point{X: v.After.Seconds() / k.seconds, Y: v.Share * 100,
			Tip: fmt.Sprintf("trial %d: %s frames lost within %s, from %s s on", v.Trial, Count(v.Lost), seconds(v.Length.Seconds()), plain(v.After.Seconds()))})
	}
	return s
}

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
