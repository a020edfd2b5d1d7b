package figures

import (
	"testing"
	"time"

	"weir"
	"weir/internal/chart"
)

// An hour is told in minutes, and trials that lie on top of each other are no
// longer than one of them.
func TestClock(t *testing.T) {
	soak := weir.TrialResult{Trial: weir.Trial{Duration: time.Hour}, Timeline: &weir.Timeline{}}
	reset := weir.TrialResult{Trial: weir.Trial{Duration: 5 * time.Minute, Event: &weir.Event{Name: "reset interface", After: 2 * time.Second}},
		Timeline: &weir.Timeline{}, Happened: &weir.Happened{Began: 3 * time.Second, Ended: 4 * time.Second}}
	for _, c := range []struct {
		trials []weir.TrialResult
		want   string
	}{
		{[]weir.TrialResult{soak}, "min"}, {[]weir.TrialResult{reset, reset, reset}, "s"},
		{[]weir.TrialResult{soak, soak, soak, soak, soak, soak, soak, soak, soak, soak, soak}, "h"},
	} {
		if got := clockFor(c.trials); got.name != c.want {
			t.Errorf("%d trials in %s, want %s", len(c.trials), got.name, c.want)
		}
	}
	if got := clockFor([]weir.TrialResult{soak}).scaled([]chart.Point{{X: 1800}}); got[0].X != 30 {
		t.Errorf("half an hour is at %v min", got[0].X)
	}
	line := clockFor([]weir.TrialResult{reset}).moment(reset)
	if len(line) != 1 || line[0].Name != "reset interface" || line[0].Points[0].X != 3 || line[0].Points[1].X != 3 {
		t.Errorf("the event is shown as %+v", line)
	}
	if got := (clock{"s", 1}).moment(soak); got != nil {
		t.Errorf("something was done in a soak: %+v", got)
	}
}

// More lines than there are colours cannot be told apart.
func TestTooManyLines(t *testing.T) {
	c := weir.Campaign{}
	for i := range chart.Palette + 1 {
		for _, size := range []int{64, 1518} {
			c.Results = append(c.Results, weir.Result{Method: "throughput", Unit: "frames/s", Value: 1e6, MeanSize: float64(size),
				Factors: weir.Factors{"frame_size": size, "burst": 16 + i}})
		}
	}
	if !RatePlot(GridOf(c)).Empty() {
		t.Error("a plot with two lines of one colour")
	}
	c.Results = c.Results[:2*chart.Palette]
	if RatePlot(GridOf(c)).Empty() {
		t.Error("no plot")
	}
}
