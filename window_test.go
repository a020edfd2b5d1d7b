package weir

import (
	"math"
	"testing"
	"time"
)

func TestWindowsOfATrial(t *testing.T) {
	trial := Trial{Traffic: Traffic{Bidirectional: true}, Windows: []Window{
		{Intended: 1000, Duration: 10 * time.Millisecond, Silence: time.Millisecond},
		{Intended: 500, Duration: 10 * time.Millisecond, Side: 2, Prime: &Phase{Intended: 2000, Duration: 3 * time.Millisecond}, Hold: &Phase{Intended: 1000, Duration: 2 * time.Millisecond}, Pause: time.Millisecond},
	}}
	if err := trial.CheckWindows(); err != nil {
		t.Fatal(err)
	}
	if got, want := trial.Length(), 27*time.Millisecond; got != want {
		t.Errorf("the trial lasts %v, want %v", got, want)
	}
	if got, want := trial.Frames(), uint64(2*10+5+6+2); got != want {
		t.Errorf("the trial has %d frames, want %d", got, want)
	}
}

func TestWindowsThatCannotBe(t *testing.T) {
	good := Window{Intended: 1000, Duration: time.Millisecond}
	with := func(change func(*Window)) Trial {
		w := good
		change(&w)
		return Trial{Windows: []Window{good, w}}
	}
	for name, trial := range map[string]Trial{
		"no load":                  with(func(w *Window) { w.Intended = 0 }),
		"no duration":              with(func(w *Window) { w.Duration = 0 }),
		"a negative silence":       with(func(w *Window) { w.Silence = -1 }),
		"a pause of nothing":       with(func(w *Window) { w.Pause = 1 }),
		"holding nothing":          with(func(w *Window) { w.Hold = &Phase{Intended: 1e6, Duration: time.Millisecond} }),
		"priming with nothing":     with(func(w *Window) { w.Prime = &Phase{} }),
		"an endless priming":       with(func(w *Window) { w.Prime = &Phase{Intended: math.Inf(1), Duration: time.Millisecond} }),
		"priming beyond any ring":  with(func(w *Window) { w.Prime = &Phase{Intended: 2e6, Duration: time.Minute} }),
		"a port that is not there": with(func(w *Window) { w.Side = 2 }),
		"too many":                 {Windows: make([]Window, MaxWindows+1)},
		"the maximum":              {Windows: []Window{good}, Maximum: true},
		"a number of frames":       {Windows: []Window{good}, Count: 1},
		"a second load":            {Windows: []Window{good}, Then: &Phase{}},
		"a duration":               {Windows: []Window{good}, Duration: 1},
		"tagged frames":            {Windows: []Window{good}, Tags: Tags{Count: 1}},
	} {
		if trial.CheckWindows() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
