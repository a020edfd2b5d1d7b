package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/method"
	"weir/internal/result"
	"weir/internal/warning"
)

// A confidence is what is known of how far sweeps can be trusted.
type confidence struct {
	widest       float64 // relative margin of the knees
	early        bool    // some have none yet
	rounds       int
	windows      int
	left         float64 // share that was left out
	reasons      []weir.LeftOut
	stops        float64        // a second, on the average
	half, most   float64        // seconds: median and longest
	other, steal float64        // shares of all CPUs
	causes       []weir.Warning // of what disturbed them that are known, with what mends them
	before       string         // who was at work before the start; "": nobody, or nobody looked
}

// TrustOf gathers that from the sweeps of a campaign and its trials.
func TrustOf(c weir.Campaign, g Grid) confidence {
	var t confidence
	n, left := 0., 0.
	for _, w := range g.Rows {
		for _, r := range w.sweeps(g) {
			n++
			t.windows += r.Windows
			t.rounds = max(t.rounds, r.Rounds)
			left += r.LeftOutShare * float64(r.Windows)
			t.early = t.early || result.Early(r)
			if !result.Unknown(r) && !result.AtLeast(r) {
				t.widest = max(t.widest, result.Margin(weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper}))
			}
			t.stops += r.Interruptions.PerSecond
			t.half, t.most = max(t.half, r.Interruptions.P50), max(t.most, r.Interruptions.Max)
			t.reasons = result.AddLeftOut(t.reasons, r.LeftOut)
		}
	}
	t.stops /= max(n, 1)
	t.left = left / max(float64(t.windows), 1)
	slices.SortStableFunc(t.reasons, func(a, b weir.LeftOut) int { return b.Windows - a.Windows })
	over, other, steal := 0., 0., 0.
	for _, trial := range c.Trials {
		length := trial.Host.Over
		if length == 0 {
			length = trial.Trial.Length()
		}
		over += length.Seconds() * float64(max(c.Manifest.CPUs, 1))
		other, steal = other+trial.Host.Other.Seconds(), steal+trial.Host.Steal.Seconds()
	}
	if over > 0 {
		t.other, t.steal = other/over, steal/over
	}
	t.causes = Causes(c.Trials...)
	var seen []string
	for _, s := range c.Manifest.Settings {
		if s.Brief != "" {
			seen = append(seen, s.Brief)
		}
	}
	t.before = strings.Join(seen, ", ")
	return t
}

// The shares from which on a machine is disturbed, and badly so.
const (
	someShare = .05
	muchShare = .2
	someStops = 1. // a second
)

// level is 0 for a quiet machine, 1 for one that is disturbed, 2 for one that is
// so badly.
func (t confidence) level() int {
	switch worst := math.Max(t.left, math.Max(t.other, t.steal)); {
	case worst > muchShare || t.widest > muchShare:
		return 2
	case worst > someShare || t.widest > someShare || t.stops > someStops:
		return 1
	}
	return 0
}

// label is the level in a word or two.
func (t confidence) label() string {
	return []string{"quiet", "disturbed", "badly disturbed"}[t.level()]
}

// String says it in a line: "disturbed: as other work took 12 % of the CPUs, 3 % of 720
// windows were left out (generator stood still) and forwarding stopped 11 times a second, for
// 4 ms and at most 30 ms; the bounds are +-10 % over 3 rounds".
func (t confidence) String() string { return t.label() + ": " + t.found() }

// found is what the level comes from.
func (t confidence) found() string {
	took, seen := t.took()
	parts := []string{t.effects()}
	if took != "" && (t.left > 0 || t.stops > 0) && t.other+t.steal > someShare { // less need not be why
		parts[0] = "as " + took + ", " + parts[0]
	} else if took != "" {
		parts = append(parts, took)
	}
	if t.widest > 0 {
		m := Number(100*t.widest, 0)
		if t.widest < .0995 {
			m = Number(max(100*t.widest, .1), 1)
		}
		parts = append(parts, fmt.Sprintf("the bounds are +-%s %% over %d %s", m, t.rounds, Plural(t.rounds, "round")))
	}
	if t.early {
		parts = append(parts, noInterval)
	}
	if seen != "" {
		parts = append(parts, seen)
	}
	return strings.Join(parts, "; ")
}

// took says what took the CPUs meanwhile, and who was seen at work before.
func (t confidence) took() (took, seen string) {
	var parts []string
	if t.other > 0 {
		parts = append(parts, "other work took "+sharePercent(t.other)+" of the CPUs")
	}
	if t.steal > 0 {
		parts = append(parts, "the hypervisor "+sharePercent(t.steal))
	}
	if t.other == 0 && t.steal > 0 {
		parts[0] = strings.Replace(parts[0], "hypervisor", "hypervisor took", 1) + " of the CPUs"
	}
	if t.before != "" {
		seen = "before the start " + t.before
	}
	return strings.Join(parts, " and "), seen
}

// effects says what became of the windows and of the forwarding.
func (t confidence) effects() string {
	var parts []string
	if t.left > 0 {
		text := fmt.Sprintf("%s of %s windows were left out", sharePercent(t.left), Number(float64(t.windows), 0))
		if len(t.reasons) > 0 {
			text += " (" + t.reasons[0].Reason + ")"
		}
		parts = append(parts, text)
	}
	if t.stops > 0 {
		parts = append(parts, fmt.Sprintf("forwarding stopped %s times a second, for %s ms and at most %s ms", rough(t.stops), rough(t.half*1e3), rough(t.most*1e3)))
	}
	all := []string{strings.Join(parts, " and ")}
	if t.left == 0 {
		all = append(all, fmt.Sprintf("no window of %s was left out", Number(float64(t.windows), 0)))
	}
	return strings.TrimPrefix(strings.Join(all, "; "), "; ")
}

// rough is v with two digits.
func rough(v float64) string {
	if v >= 99.5 {
		return Number(v, 0)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// sharePercent is a share of something for a reader: "12 %", "0.4 %".
func sharePercent(s float64) string {
	if s >= .0095 {
		return Number(100*s, 0) + " %"
	}
	return Number(max(100*s, .1), 1) + " %"
}

// Advice is what to do about what disturbed sweeps.
func (t confidence) Advice() []string {
	switch {
	case len(t.causes) > 0 && t.other <= someShare:
		return []string{"mend what is named first, and repeat"}
	case len(t.causes) > 0:
		return []string{"mend what is named first, stop what else runs here, and repeat"}
	case t.other > max(t.steal, someShare):
		return []string{"stop what else runs here, and repeat"}
	case t.steal > someShare:
		return []string{"repeat when the host is quiet, or on CPUs of one's own"}
	case t.level() > 0 && t.widest > 0:
		return []string{"more rounds narrow the bounds"}
	case t.level() > 0:
		return []string{"what disturbs it is not known"}
	}
	return nil
}

// What mends a machine that is disturbed: looking who disturbs it, and setting it up.
const (
	lookCommand = "weir audit --watch 10s"
	mendCommand = "weir audit --apply"
)

// Looking is the command that tells what disturbs a machine, where one was.
func Looking(c weir.Campaign) string {
	for i := range c.Results {
		if weir.HasWarning(c.Results[i].Warnings, weir.BusyMachine, weir.StealTime, weir.GeneratorStalled, weir.GeneratorPaused) {
			return lookCommand
		}
	}
	return ""
}

// Badge is that of sweeps.
func (t confidence) Badge() document.Badge {
	b := document.Badge{Level: []document.Trust{document.GoodTrust, document.SomeTrust, document.NoTrust}[t.level()], Label: t.label(), Text: t.found()}
	if advice := t.Advice(); len(advice) > 0 {
		b.Text += "; " + strings.Join(advice, "; ")
		b.Command = mendCommand
	}
	if t.other > someShare || t.before != "" && t.level() > 0 {
		b.Command = lookCommand
	}
	return b
}

// Causes are what is known to disturb a good part of the trials: for each kind of cause the
// first one.
func Causes(trials ...weir.TrialResult) (out []weir.Warning) {
	for kind := range warning.Kinds() {
		if !kind.Cause {
			continue
		}
		var first weir.Warning
		n := 0
		for _, t := range trials {
			if i := slices.IndexFunc(t.Warnings, func(w weir.Warning) bool { return w.Code == kind.Code }); i >= 0 {
				n++
				if n == 1 {
					first = t.Warnings[i]
				}
			}
		}
		if n > 0 && float64(n) >= method.GoodPart*float64(len(trials)) {
			out = append(out, first)
		}
	}
	return out
}
