package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
	"weir/internal/warning"
)

// sweptLead is the sweep that the headline is about: of the smallest frames of
// which something is known, at the lowest loss; nil where nothing is.
func (g Grid) sweptLead() (row, *weir.Result) {
	var at row
	var found *weir.Result
	for _, w := range g.Rows {
		for _, r := range w.sweeps(g) {
			if !result.Unknown(r) && (found == nil || w.Octets > 0 && (at.Octets == 0 || w.Octets < at.Octets)) {
				at, found = w, r
			}
		}
	}
	return at, found
}

// describeSweep returns a sweep in a sentence: "This kernel forwards 64-octet frames at 769
// kpps (+-9.1 %) without loss in most windows of 5 ms".
func (w row) describeSweep(c weir.Campaign, r *weir.Result) string {
	of, loss := r.KneeZero, "without loss"
	if of.Value == 0 || result.Contradicted(r) {
		of, loss = weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper}, "at a loss of "+Percent(r.LossRatio)+" %"
	}
	bounds := ""
	if result.Early(r) {
		bounds = " (" + noInterval + ")"
	}
	if m := margin(of); m != Missing && !result.AtLeast(r) {
		bounds = " (+-" + m + " %)"
		if result.IsWide(of) {
			bounds = fmt.Sprintf(" (%s to %s)", Significant(of.Lower/1e3), Significant(of.Upper/1e3))
		}
	}
	if result.AtLeast(r) && (of.Value == r.Value || r.Limited == weir.LimitedBySpeed) {
		bounds = " or more"
	}
	other := ""
	verb := " it, or its machine, was"
	if result.SpeedsOfMachine(c) {
		verb = " this machine was"
	}
	for _, o := range otherSpeeds(r) {
		other += fmt.Sprintf("; for %s %% of the time%s %s: %s kpps", Number(100*o.share, 0), verb, o.than, o.rates)
		verb = ""
	}
	return fmt.Sprintf("%s forwards %s at %s kpps%s %s in most windows of %s%s", forwarderOf(c), w.kindOfFrames(),
		Significant(of.Value/1e3), bounds, loss, millis(r.TrialSeconds), other)
}

// otherSpeed is what a DUT forwarded while it was faster, or slower, than the result says.
type otherSpeed struct {
	than  string  // "faster"
	share float64 // of the time, 0 to 1
	rates string  // in kpps
}

// leastShare is the share of the time from which on a speed is worth a word.
const leastShare = .005

// otherSpeeds returns what is known of the speeds that a result is not of. A rate that
// follows from those of other sizes is "about" that.
func otherSpeeds(r *weir.Result) (out []otherSpeed) {
	of := otherSpeed{than: "faster"}
	var rates []string
	done := func() {
		if of.share > 0 {
			of.rates = Enumerated(rates)
			out = append(out, of)
		}
	}
	for _, s := range r.Speeds { // the fastest first
		switch rate := Significant(s.Capacity / 1e3); {
		case s.Lead:
			done()
			of, rates = otherSpeed{than: "slower"}, nil
		case s.Share < leastShare:
		case s.Inferred:
			of.share, rates = of.share+s.Share, append(rates, "about "+rate)
		default:
			of.share, rates = of.share+s.Share, append(rates, rate)
		}
	}
	done()
	return out
}

// forwarderOf is boxOf, or this kernel where that is what was measured.
func forwarderOf(c weir.Campaign) string {
	if m := c.Manifest; m.Testbed == "netns" && m.Kernel != "" && !Simulated(c) && m.Imported == nil {
		return "This kernel"
	}
	return boxOf(c)
}

// SweptNotes say what has to be known to read the table of sweeps: sizes without
// a number, why cells have a sign, and what an overload costs.
func SweptNotes(g Grid) []string {
	var out, others []string
	var why, none, alone, beyond, contrary, costs byHeading
	doubtful := false
	for _, w := range g.Rows {
		for _, r := range w.sweeps(g) {
			for _, raised := range r.Warnings {
				if raised.Code == weir.BeyondTester {
					beyond.add(raised.Text, w.Label)
				}
			}
			if result.Unknown(r) {
				why.add("no number: "+failureReason(r), w.Label)
				continue
			}
			if result.Early(r) {
				alone.add(noInterval+": it takes two rounds with a knee, or ten blocks of one, for which there was not the time", w.Label)
			}
			if r.KneeZero.Value == 0 && !result.AtLeast(r) {
				none.add("at no load did the median window lose nothing", w.Label)
			}
			doubtful = doubtful || result.KneeDoubtful(r) || result.SaturatedDoubtful(r) || result.AtHalfDoubtful(r)
			if result.Contradicted(r) {
				contrary.add("more without loss than at a loss of "+Percent(r.LossRatio)+" %, which cannot be", w.Label)
			}
			var speeds []string
			for _, o := range otherSpeeds(r) {
				speeds = append(speeds, fmt.Sprintf("%s kpps for %s %%", o.rates, Number(100*o.share, 0)))
			}
			if len(speeds) > 0 {
				others = append(others, w.Label+": "+strings.Join(speeds, ", "))
			}
			if cost := overloadCost(r); cost > 0 {
				costs.add(Number(100*cost, 0)+" %", w.Label)
			}
		}
	}
	for _, h := range slices.Concat(why, none, alone) {
		out = append(out, h.labels()+": "+h.heading)
	}
	if doubtful {
		out = append(out, "! in doubt: "+warningsOfSweeps(g).String())
	}
	for _, h := range beyond {
		out = append(out, h.labels()+": "+h.heading)
	}
	for _, h := range contrary {
		out = append(out, "! "+h.labels()+": "+h.heading)
	}
	if len(others) > 0 {
		out = append(out, "at other times the rates were different, and are not in these numbers: "+strings.Join(others, "; "))
	}
	if len(costs) > 0 {
		out = append(out, "overload costs "+costs.String())
	}
	return out
}

// Signs says what the signs in the cells of a table mean.
func Signs(t document.Table) (out []string) {
	for _, sign := range []struct {
		means string
		has   func(document.Cell) bool
	}{
		{">=: at least, as the search ended there or the tester could send no more", func(c document.Cell) bool { return strings.HasPrefix(c.Text, atLeast) }},
		{"-: not known", func(c document.Cell) bool { return c.Text == Missing }},
	} {
		if slices.ContainsFunc(t.Rows, func(row []document.Cell) bool { return slices.ContainsFunc(row, sign.has) }) {
			out = append(out, sign.means)
		}
	}
	return out
}

// SweptTerms say what the numbers and signs of the table of sweeps are; "" where it has none.
func SweptTerms(g Grid) string {
	_, r := g.sweptLead()
	if r == nil {
		return ""
	}
	text := fmt.Sprintf("latency and CPU are those at half of the rate at a loss of %s %%", Percent(r.LossRatio))
	if len(r.Speeds) > 0 {
		text = "latency and CPU are those at half of the rate of the slowest speed"
	}
	return strings.Join(append([]string{text}, Signs(SweptTable(g))...), "; ")
}

// millis is a time of some milliseconds, as short as it goes.
func millis(v float64) string { return trimmed(v*1e3) + " ms" }

// trimmed is significant without zeros at its end.
func trimmed(v float64) string {
	s := Significant(v)
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// warningsOfSweeps returns the warnings of sweeps in some words, with their rows.
func warningsOfSweeps(g Grid) (marks byHeading) {
	for _, w := range g.Rows {
		for _, r := range w.sweeps(g) {
			if result.Vague(r) {
				marks.add("bounds far apart", w.Label)
			}
			for _, code := range result.Marks(r) {
				if !result.Unknown(r) {
					marks.add(warning.Of(code).Label, w.Label)
				}
			}
		}
	}
	return marks
}

// WhyNoNumber returns why a sweep has found no number; without a text where nothing says so.
func WhyNoNumber(r *weir.Result) (why weir.Sentence) {
	if why.Text = r.Unmeasured; why.Text != "" {
		return why
	}
	for _, w := range r.Warnings {
		if warning.Of(w.Code).NoNumber {
			return w.Sentence
		}
	}
	return why
}

// reasonless returns why a sweep has no number in a clause: for want of a reason, the first
// thing that there is to say of it.
func failureReason(r *weir.Result) string {
	why := WhyNoNumber(r).Brief()
	if why == "" && len(r.Warnings) > 0 {
		why = r.Warnings[0].Brief()
	}
	return cmp.Or(why, "nothing was found")
}

// overloadCost is the share of what is forwarded at the knee that an overload
// costs; 0 where the saturated rate is no lower than the knee's interval allows.
func overloadCost(r *weir.Result) float64 {
	passed := 1 - r.LossRatio // of the load at the knee
	least := r.Lower * passed
	if r.Value == 0 || r.Saturated.Value == 0 || result.AtLeast(r) || r.Saturated.Upper >= least || r.Saturated.Value >= least {
		return 0
	}
	return 1 - r.Saturated.Value/(r.Value*passed)
}
