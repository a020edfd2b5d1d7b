package report

import (
	"fmt"
	"slices"

	"weir"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
	"weir/stats"
)

// Versus is what two DUTs side by side have shown: by how much the second one, B,
// forwards more or less than the first, A.
type Versus struct {
	c         weir.Campaign
	v         proof.Comparison            // of what they forward; without effects where nothing could be compared
	figures   map[string]proof.Comparison // of the other metrics, by their IDs
	failAbove float64
}

// VersusOf is what a campaign of two arms says of them, with the loss of the
// second one that is too much, as a share; 0: any is good.
func VersusOf(c weir.Campaign, failAbove float64) (Versus, error) {
	c = figures.Printable(c)
	out := Versus{c: c, failAbove: failAbove}
	p, err := proof.Of(c)
	if err != nil {
		return out, err
	}
	out.figures = map[string]proof.Comparison{}
	for _, v := range p.Comparisons {
		if v.Figure != "" {
			out.figures[v.Figure] = v
		}
	}
	rates := slices.DeleteFunc(p.Comparisons, func(v proof.Comparison) bool { return v.Figure != "" })
	if len(rates) != 1 || rates[0].Unit != "frames/s" && rates[0].Unit != "" {
		return out, fmt.Errorf("campaign %s has not one rate of two arms, but %d things that were compared: weir compare tells what it proves", c.ID, len(rates))
	}
	out.v = rates[0]
	return out, nil
}

// Gate is what a difference means to who allows some loss.
type Gate string

// The gates.
const (
	Passes  Gate = "passes"    // a loss of more than is allowed is out of the question
	Fails   Gate = "fails"     // a loss of more than is allowed is proven
	Unknown Gate = "not known" // neither: there is no verdict, or the interval holds what is allowed
)

// Gate holds the interval of the difference against the loss that is allowed.
// Without one only whether anything is known matters.
func (s Versus) Gate() Gate {
	e, known := s.effect()
	switch {
	case s.nothing() >= fewBuilds:
		return Fails
	case s.nothing() > 0: // what that was is not known
		return Unknown
	case !known || e.Verdict == stats.Vetoed || !limited(e.Change):
		return Unknown
	case s.failAbove == 0 || e.Change.Lower > -s.failAbove && !e.AtMost:
		return Passes
	case e.Change.Upper < -s.failAbove && !e.AtLeast:
		return Fails
	}
	return Unknown
}

// fewBuilds is how many builds in which B forwards nothing are no chance.
const fewBuilds = 2

// nothing is in how many builds B forwards nothing under overload, where A does.
func (s Versus) nothing() int { return s.v.Livelocked(s.arm(1)) }

func (s Versus) effect() (stats.Effect, bool) {
	if len(s.v.Effects) == 0 {
		return stats.Effect{}, false
	}
	return s.v.Effects[0], true
}

// names of the two, as a table has them.
func (s Versus) names() (a, b string) {
	e := s.c.Manifest.Experiment
	if e == nil || len(e.Arms) < 2 {
		return "A", "B"
	}
	of := study{Proof: proof.Proof{Experiment: *e}}
	return of.short(e.Arms[0]), of.short(e.Arms[1])
}

// Sentence is the answer, without a full stop.
func (s Versus) Sentence() string {
	a, b := s.names()
	e, known := s.effect()
	switch {
	case s.nothing() >= fewBuilds:
		return fmt.Sprintf("%s forwards nothing under overload, in %d of %d builds, where %s forwards %s kpps", b, s.nothing(), s.all(), a, figures.Kpps(s.median(s.arm(0), result.Named("value"))))
	case !known || e.Verdict == stats.Vetoed:
		why := "no build found anything that could be compared"
		if len(s.v.Vetoes) > 0 {
			why = texts(s.v.Vetoes[:1])
		}
		return fmt.Sprintf("Whether %s forwards more or less than %s is not known: %s", b, a, why)
	case e.Verdict == stats.Proven:
		way := "more"
		if e.Change.Estimate < 0 {
			way = "less"
		}
		if e.AtLeast || e.AtMost {
			return fmt.Sprintf("%s forwards at least %s %% %s than %s, as the tester could send no more: proven over %s", b, figures.Number(100*max(e.Change.Lower, -e.Change.Upper), 1), way, a, s.builds())
		}
		return fmt.Sprintf("%s forwards %s %% %s than %s (%s): proven over %s", b, figures.Number(100*max(e.Change.Estimate, -e.Change.Estimate), 1), way, a, changeBounds(e.Change), s.builds())
	case e.AtLeast || e.AtMost:
		return fmt.Sprintf("No difference between %s and %s is proven over %s: the tester could send no more than was forwarded", a, b, s.builds())
	}
	return fmt.Sprintf("No difference between %s and %s is proven over %s: %s forwards %s %% in terms of %s (%s)",
		a, b, s.builds(), b, signedShare(e.Change.Estimate), a, changeBounds(e.Change))
}

// all is how many builds there are.
func (s Versus) all() int { return s.v.Blocks + s.v.LeftOut }

func (s Versus) builds() string {
	return figures.Number(float64(s.v.Blocks), 0) + " " + figures.Plural(s.v.Blocks, "build")
}

// changeBounds is an interval of a change: "-7.0 to -5.6 %".
func changeBounds(i stats.Interval) string {
	if !limited(i) {
		return "no interval yet"
	}
	return signedShare(i.Lower) + " to " + signedShare(i.Upper) + " %"
}

// limited reports whether an interval has ends. Those of a model may be one.
func limited(i stats.Interval) bool {
	return figures.Finite(i.Estimate) && figures.Finite(i.Lower) && figures.Finite(i.Upper)
}

// signedShare is a share in per cent with its sign and a decimal.
func signedShare(share float64) string { return fmt.Sprintf("%+.1f", 100*share) }

// gated is what the gate says, without a full stop; "" where there is none.
func (s Versus) gated() string {
	if s.failAbove == 0 {
		return ""
	}
	limit := figures.Percent(s.failAbove)
	switch s.Gate() {
	case Passes:
		return fmt.Sprintf("a loss of more than %s %% is out of the question", limit)
	case Fails:
		return fmt.Sprintf("a loss of more than %s %% is proven", limit)
	}
	return fmt.Sprintf("a loss of more than %s %% is neither proven nor out of the question: more builds (--runs) would tell", limit)
}
