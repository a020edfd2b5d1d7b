package claim

import (
	"fmt"
	"time"

	"weir"
)

// WindowExceed is the exceed ratio of a median over windows.
const WindowExceed = .5

// WindowsName is the name of what windows have found.
const WindowsName = "capacity, windows"

// SaturatedName is the name of what is forwarded under overload, in windows.
const SaturatedName = "saturated rate, windows"

// CheckWindows is the checklist of a sweep over windows. It is weir's own: no window
// is so long as a trial of RFC 2544 has to be. What else it can be called is
// the conditional throughput of RFC 9971, of a goal whose trials are the windows,
// all of them, which the result says as a figure of its own.
func CheckWindows(e Evidence) weir.Claim {
	const source = "weir"
	if e.Sweep == nil || e.Value == 0 {
		return Named(NotEnded)
	}
	window := time.Duration(e.TrialSeconds * float64(time.Second))
	l := checklist{
		{id: "windows-mixed", source: source, level: weir.Must, text: "loads are mixed in windows, and their medians say what is lost", found: fmt.Sprintf("%s of %v", plural(e.Windows, "window"), window), kept: e.Windows > 0},
		{id: "windows-left-out", source: source, level: weir.Must, text: "at most 40 % of the windows are left out, each for a reason that lies outside of the DUT", found: percent(round(e.LeftOutShare)) + " % were", kept: e.LeftOutShare <= .4},
		{id: "rounds", source: source, level: weir.Should, text: "there are three rounds, apart in time", found: plural(e.Rounds, "round") + " had a knee", kept: e.Rounds >= 3, label: few},
		{id: "bounded", source: source, level: weir.Must, text: "the knee is bounded by loads on both sides", found: bounded(e), kept: e.Limited == "", label: atLeast},
		{id: "conditional-throughput", source: "RFC 9971 section 4.6", level: weir.May, text: "the median over all windows, none left out, is a conditional throughput of the goal " +
			goalText(weir.Earned{Final: window.Seconds(), Sum: window.Seconds(), Loss: e.LossRatio, Exceed: WindowExceed}), found: number(round(e.Conditional)) + " frames/s, not interpolated", kept: e.Conditional > 0, optional: true},
		{id: "trial-length", source: "RFC 2544 section 24", level: weir.Should, text: "the final determination SHOULD be made with trials of at least 60 s", found: fmt.Sprintf("the windows last %v: it is no throughput by this name", window), optional: true},
	}
	return l.claim(WindowsName, WindowsName)
}

func bounded(e Evidence) string {
	switch e.Limited {
	case "":
		return "it is"
	case weir.LimitedBySpeed:
		return "a faster speed held for too short a time, under too low a load, or in another sweep"
	}
	return "the " + e.Limited + " ended the loads"
}

// round is a figure with three digits.
func round(v float64) float64 {
	var out float64
	fmt.Sscan(fmt.Sprintf("%.3g", v), &out)
	return out
}

// CheckSaturatedRate is the checklist of what is forwarded under overload, in windows.
func CheckSaturatedRate(e Evidence) weir.Claim {
	if e.Value == 0 {
		return Named(NotEnded)
	}
	window := time.Duration(e.TrialSeconds * float64(time.Second))
	all, _ := e.Figure(Windows)
	counting, _ := e.Figure(CountingWindows)
	limited := weir.HasWarning(e.Warnings, weir.TesterLimited)
	overload := "windows lose a tenth of it and more"
	if limited {
		overload = "most windows lose less than a tenth of it"
	}
	l := checklist{
		{id: "beyond", source: "RFC 2285 section 3.6.2", level: weir.Must, text: "the load is well above what is forwarded", found: overload, kept: !limited, label: atLeast},
		{id: "value", source: "weir", level: weir.Must, text: "what is forwarded is the median over windows", found: fmt.Sprintf("%.0f of %.0f windows of %v count", counting, all, window), kept: counting > 0},
		{id: "trial-length", source: "RFC 2544 section 24", level: weir.Should, text: "the final determination SHOULD be made with trials of at least 60 s", found: fmt.Sprintf("the windows last %v: it is FRMOL in windows", window), optional: true},
	}
	return l.claim(SaturatedName, SaturatedName)
}
