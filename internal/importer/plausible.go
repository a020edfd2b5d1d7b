package importer

import (
	"fmt"
	"math"
	"slices"

	"weir"
)

// facts are what a source says beside a result, for the rules.
type facts struct {
	medium    float64 // the most that the medium which it names carries, in the unit of the value; 0: none is named
	carrier   string  // that medium: "2 ports of 10 Gbit/s"
	parts     float64 // the sum of the rates of the streams; 0: not said
	backwards string  // how its times run backwards, in a clause; "": they do not

	sent, received float64 // of counters, where they are no figures
	counts         string  // what these count
}

// A rule is one thing that cannot be, whatever measured it.
type rule struct {
	code weir.WarningCode
	// broken says how a result breaks the rule, in a clause; "": it does not.
	broken func(weir.Result, facts) string
}

// rules are all of them, for every format. What breaks one stays as it was published,
// and is marked: a value earns no name, and no verdict rests on it.
var rules = []rule{
	{weir.Implausible, func(r weir.Result, _ facts) string {
		return when(math.IsNaN(r.Value) || math.IsInf(r.Value, 0), "%v was published, which is no number", r.Value)
	}},
	{weir.Implausible, func(r weir.Result, _ facts) string {
		return when(r.Value < 0 && never[r.Unit], "%g %s is less than nothing", r.Value, r.Unit)
	}},
	{weir.Implausible, func(r weir.Result, _ facts) string {
		return when(math.Abs(r.Value) > mostPlausible && !math.IsInf(r.Value, 0), "%g %s is more than there can be", r.Value, r.Unit)
	}},
	{weir.Implausible, func(r weir.Result, f facts) string {
		return when(f.medium > 0 && r.Value > f.medium*(1+slack), "%.0f %s is more than the %.0f that %s can carry", r.Value, r.Unit, f.medium, f.carrier)
	}},
	{weir.Implausible, func(r weir.Result, _ facts) string {
		return when(!(r.LossRatio >= 0 && r.LossRatio <= 1), "a loss of %.2f %% is none that can be", 100*r.LossRatio)
	}},
	{weir.Implausible, func(r weir.Result, _ facts) string {
		for _, f := range r.Figures {
			if f.Value < 0 && counters[f.Name] {
				return fmt.Sprintf("the counter of %s stands at %.0f, less than nothing", f.Name, f.Value)
			}
		}
		return ""
	}},
	{weir.Implausible, func(r weir.Result, f facts) string {
		return when(f.backwards != "", "its times run backwards: %s", f.backwards)
	}},
	{weir.Implausible, func(r weir.Result, _ facts) string {
		return when(r.TrialSeconds < 0, "it took %g s, less than no time", r.TrialSeconds)
	}},
	{weir.Implausible, func(r weir.Result, f facts) string {
		return when(r.Value == 0 && f.parts > 0, "the total is 0, and its parts together are %.0f %s", f.parts, r.Unit)
	}},
	{weir.Implausible, func(r weir.Result, _ facts) string {
		return when(r.Upper != 0 && r.Lower > r.Upper, "its lower bound, %g, is above its upper one, %g", r.Lower, r.Upper)
	}},
	{weir.NegativeLoss, func(r weir.Result, f facts) string {
		return when(f.received > f.sent*(1+slack) && f.sent > 0, "%.0f %s were received, and %.0f sent", f.received, f.counts, f.sent)
	}},
	{weir.NegativeLoss, func(r weir.Result, _ facts) string {
		sent, known := r.Figure(figureSent)
		received, _ := r.Figure(figureReceived)
		// Frames of others come in before the first and after the last one.
		return when(known && sent > 0 && received > sent*(1+slack), "%.0f frames were received, and %.0f sent", received, sent)
	}},
	{weir.NegativeLoss, func(r weir.Result, _ facts) string {
		offered, known := r.Figure(weir.OfferedLoad)
		return when(known && offered > 0 && r.Unit == "frames/s" && r.Value > offered*(1+slack), "%.0f frames/s were received, more than the %.0f that were sent", r.Value, offered)
	}},
	{weir.ImplausibleFigure, func(r weir.Result, _ facts) string {
		jitter, known := r.Figure(weir.Jitter)
		return when(known && r.TrialSeconds > 0 && jitter > r.TrialSeconds, "a jitter of %.0f s is longer than the test, which took %.3g s", jitter, r.TrialSeconds)
	}},
	{weir.ImplausibleFigure, func(r weir.Result, _ facts) string {
		for _, f := range r.Figures {
			if (f.Value < 0 && never[f.Unit] && !counters[f.Name]) || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
				return fmt.Sprintf("%s of %v %s cannot be", f.Name, f.Value, f.Unit)
			}
		}
		return ""
	}},
}

const (
	// mostPlausible is more than any rate or count is: a hundred thousand links of 10 Tbit/s.
	mostPlausible = 1e18
	// slack is how far two numbers of one thing may be apart that were not taken in the same moment.
	slack = 0.01
)

// never are the units of what is never negative.
var never = map[string]bool{"frames/s": true, "bit/s": true, "B/s": true, "s": true, "frames": true, "octets": true, "segments": true, "connections/s": true, "transactions/s": true}

// counters are figures that a loss follows from.
var counters = map[string]bool{figureSent: true, figureReceived: true, weir.OfferedLoad: true}

// when is a clause where it holds; "" where it does not.
func when(holds bool, clause string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(clause, args...)
}

// judge marks what cannot be of a result. It stays as it was published, but that a value
// that cannot be has no name, and a loss that cannot be is a figure and no loss.
func judge(r *weir.Result, f facts) {
	name, _ := r.Claim.Published()
	if name == InDoubt {
		return
	}
	doubted := false
	for _, rule := range rules {
		why := rule.broken(*r, f)
		if why == "" {
			continue
		}
		if rule.code != weir.ImplausibleFigure {
			doubted = true
			if name != NumbersClaim && name != "" {
				why += "; it was published as " + name
			}
		}
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(rule.code, "%s", why))
	}
	if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
		r.Unmeasured = fmt.Sprintf("%v was published, which is no number", r.Value)
	}
	if !(r.LossRatio >= 0 && r.LossRatio <= 1) {
		r.Figures = append(slices.Clip(r.Figures), weir.Figure{Name: figurePublishedLoss, Value: r.LossRatio})
		r.LossRatio = 0
	}
	for _, v := range numbersOf(r) {
		if math.IsNaN(*v) || math.IsInf(*v, 0) { // JSON has no such value
			*v = 0
		}
	}
	if doubted && name != NumbersClaim {
		r.Claim = weir.PublishedAs(InDoubt)
	}
}

const (
	// InDoubt is what a value is called that cannot be, whatever it was published as.
	InDoubt = "a number in doubt"
	// figurePublishedLoss is a loss ratio that cannot be.
	figurePublishedLoss = "loss ratio, as it was published"
)

// numbersOf are the numbers of a result that have to be some.
func numbersOf(r *weir.Result) []*float64 {
	all := []*float64{&r.Value, &r.LossRatio, &r.Lower, &r.Upper, &r.TrialSeconds, &r.MeanSize}
	for i := range r.Figures {
		all = append(all, &r.Figures[i].Value)
	}
	return all
}
