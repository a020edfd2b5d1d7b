package tester

import (
	"fmt"
	"time"

	"weir"
	"weir/internal/xdp"
)

// latest is the end of all clocks that machines have: 36 years.
const latest = time.Duration(1 << 60)

// check says what of the sides' words is not of this trial: they come from other machines,
// and what is counted with them is as long as the trial says.
func (o OneWay) check() error {
	a, d, came := o.Announced, o.Departed, o.Arrived
	grid, all := grid(o.Trial), len(loads(o.Trial))
	windows := 0
	if len(o.Trial.Windows) > 0 {
		windows = all
	}
	most := identities(o.Trial.Traffic)
	size := func(what string, is, least, most int) error {
		if is < least || is > most {
			return fmt.Errorf("a side has %d %s, and this trial has %d to %d: is its weir another one?", is, what, least, most)
		}
		return nil
	}
	tagged := 0
	if o.Trial.Tags.Fates {
		for side := range sides(o.Trial) {
			tagged = max(tagged, (identity(o.Trial, side, len(d.Sent)-1)+1)*a.Tagged)
		}
	}
	for _, err := range []error{
		size("steps of a timeline", a.Grid.Steps, grid.Steps, grid.Steps),
		size("bits of a step", int(a.Grid.Shift), int(grid.Shift), int(grid.Shift)),
		size("windows that begin", len(a.Begins), windows, windows),
		size("tagged frames of a stream", a.Tagged, 0, o.Trial.Tags.Count),
		size("sending threads", len(d.Sent), 0, most),
		size("windows that arrived", len(came.Windows), windows, max(room(all), all)),
		size("steps that arrived", len(came.Steps), 0, grid.Steps),
		size("tagged frames that arrived", len(came.Tagged), tagged, max(tagged, xdp.Streams*max(a.Tagged, 0))),
	} {
		if err != nil {
			return err
		}
	}
	for _, s := range d.Sent {
		if err := size("loads that departed", len(s.Loads), 0, all); err != nil {
			return err
		}
		if err := size("steps that departed", len(s.Steps), 0, grid.Steps); err != nil {
			return err
		}
		if s.First < 0 || s.Last < 0 || s.First > latest || s.Last > latest || a.Grid.Start < 0 || a.Grid.Start > latest {
			return fmt.Errorf("a side sent from %v to %v, which no clock says: is its weir another one?", s.First, s.Last)
		}
	}
	return nil
}

// CheckAlone says what of a result of another machine's is not of this trial.
func CheckAlone(trial weir.Trial, r weir.TrialResult) error {
	if n := len(r.Windows); n != len(trial.Windows) || r.Sending < 0 {
		return fmt.Errorf("a side says %d windows in %v, which is not of this trial: is its weir another one?", n, r.Sending)
	}
	return nil
}
