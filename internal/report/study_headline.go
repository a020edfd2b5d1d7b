package report

import (
	"fmt"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/stats"
)

// answer is the experiment in a sentence, without a full stop.
func (s study) answer() string { return s.early + s.sentence() }

func (s study) sentence() string {
	if list := s.noise(); len(list) > 0 {
		return s.describeNoise(list[0])
	}
	if why := s.noVerdict(); why != "" {
		return "no verdict: " + why
	}
	l, _ := s.lead()
	return s.describe(l)
}

// noVerdict is why there is none on what the answer would be about, the first reason of
// several; "" where there is one, or nothing was varied.
func (s study) noVerdict() string {
	l, any := s.lead()
	switch {
	case len(s.noise()) > 0:
		return ""
	case len(s.Vetoes) > 0:
		return texts(s.Vetoes[:1])
	case any && l.Effect.Verdict == stats.Vetoed:
		return vetoed(l.Comparison)
	case any:
		return ""
	}
	for _, c := range s.Comparisons {
		if len(c.Vetoes) > 0 {
			return texts(c.Vetoes[:1])
		}
	}
	return "there are no two arms with runs to compare"
}

// describe returns an effect that has a verdict in a sentence.
func (s study) describe(l effectRow) string {
	arm, change := s.phrase(l.Effect.Arm), l.Effect.Change
	switch l.Effect.Verdict {
	case stats.Proven:
		return fmt.Sprintf("%s; proven, %s", s.effect(l), sides(l.Comparison, l.Effect.Arm))
	case stats.Equivalent:
		return fmt.Sprintf("%s makes no difference above %s %%%s: %s; %s", arm, figures.Percent(s.margin()), document.On(" to ", s.subject(l.Comparison)),
			betweenBounds(change), sides(l.Comparison, l.Effect.Arm))
	}
	if l.Effect.AtLeast || l.Effect.AtMost {
		return fmt.Sprintf("%s: no difference proven%s: the rate that was found is a lower bound of what it forwards; %s", arm,
			document.On(" in ", s.subject(l.Comparison)), sides(l.Comparison, l.Effect.Arm))
	}
	return fmt.Sprintf("%s: no difference proven%s: %s; %s", arm, document.On(" in ", s.subject(l.Comparison)), unsure(change), s.wanted(l.Effect, sides(l.Comparison, l.Effect.Arm)))
}

// unsure is what an interval leaves open.
func unsure(i stats.Interval) string {
	if !bounded(i) {
		return "too few runs for an interval"
	}
	return betweenBounds(i)
}

// wanted is what it takes to prove more.
func (s study) wanted(e stats.Effect, sides string) string {
	switch {
	case e.More == 0 && s.margin() == 0:
		return sides + "; how many more it takes depends on the change that matters (detect)"
	case e.More == 0:
		return sides
	}
	return fmt.Sprintf("about %s more %s a side would tell", figures.Number(float64(e.More), 0), figures.Plural(e.More, "run"))
}

// effect says in which direction an arm differs, and by how much: "path xdp
// gains 21 % +/- 2 % of 64-octet throughput".
func (s study) effect(l effectRow) string {
	arm, subject, amount := s.phrase(l.Effect.Arm), s.subject(l.Comparison), amountOf(l.Effect.Change)
	if l.Effect.AtLeast {
		amount = "at least " + figures.Number(l.Effect.Change.Lower*100, decimals(l.Effect.Change)) + " %"
	}
	if l.Effect.AtMost {
		amount = "at least " + figures.Number(-l.Effect.Change.Upper*100, decimals(l.Effect.Change)) + " %"
	}
	less := l.Effect.Change.Estimate < 0
	switch {
	case subject == "" || l.Unit == "":
		how := "higher"
		if less {
			how = "lower"
		}
		return fmt.Sprintf("%s is %s %s than %s%s", arm, amount, how, s.phrase(l.Baseline), document.On(" in ", subject))
	case l.Unit == "s" && less:
		return fmt.Sprintf("%s takes %s off %s", arm, amount, subject)
	case l.Unit == "s":
		return fmt.Sprintf("%s adds %s to %s", arm, amount, subject)
	case less:
		return fmt.Sprintf("%s costs %s of %s", arm, amount, subject)
	}
	return fmt.Sprintf("%s gains %s of %s", arm, amount, subject)
}

func (s study) margin() float64 {
	if s.Experiment.Margin > 0 {
		return s.Experiment.Margin
	}
	return s.Experiment.Detect
}

// vetoed is why there is no verdict on a comparison.
func vetoed(c proof.Comparison) string {
	if len(c.Vetoes) == 0 {
		return "the measurement does not allow one"
	}
	return texts(c.Vetoes[:1])
}

// maxClauses is how many reasons a headline gives.
const maxClauses = 2

// texts are the first clauses of warnings, each once; what follows them is
// below the headline.
func texts(list []weir.Warning) string {
	var out []string
	for _, w := range list {
		out = figures.With(out, w.Brief())
	}
	if more := len(out) - maxClauses; more > 0 {
		out = append(out[:maxClauses], fmt.Sprintf("and %d more %s", more, figures.Plural(more, "reason")))
	}
	return strings.Join(out, ", ")
}

// against says what the answer compares, and what goes with it: "Compared with
// firewall none in 12 randomised blocks; A/A passes." With a badge, which says it,
// whether the A/A passes is left out.
func (s study) against(badge bool) string {
	if len(s.Comparisons) == 0 {
		return ""
	}
	c := s.Comparisons[0]
	if len(effectsOf(s.Comparisons)) == 0 && len(s.noise()) == 0 {
		return "" // nothing was compared
	}
	if l, any := s.lead(); any {
		if c = l.Comparison; c.Doubted {
			return "" // what its runs found proves nothing
		}
	}
	text := "Compared with " + s.words(c.Baseline)
	each := ""
	if len(s.noise()) > 0 {
		text = "Nothing was varied: " + c.Baseline + " was measured"
		if c.Same != nil {
			text, each = text+" twice", "each of "
		}
	}
	if s.by != "" {
		text = "By " + s.by + ", all else the same, compared with " + s.words(c.Baseline)
	}
	switch {
	case c.Blocks > 0 && s.Experiment.Schedule == weir.ABBA:
		text += fmt.Sprintf(" in %s%s blocks %s", each, figures.Number(float64(c.Blocks), 0), s.mirrored())
	case c.Blocks > 0 && s.Experiment.Schedule == weir.Abreast:
		text += fmt.Sprintf(", side by side, in %s%s %s", each, figures.Number(float64(c.Blocks), 0), figures.Plural(c.Blocks, "build"))
	case c.Blocks > 0:
		text += fmt.Sprintf(" in %s%s randomised blocks", each, figures.Number(float64(c.Blocks), 0))
	}
	switch passed, failed := s.again(); {
	case failed > 0 && s.Experiment.Schedule == weir.Abreast:
		text += fmt.Sprintf("; it differs from itself in %d of %d comparisons (A/A), and the bounds are wider by that", failed, passed+failed)
	case failed > 0:
		text += fmt.Sprintf("; it differs from itself in %d of %d comparisons (A/A), so that nothing is proven", failed, passed+failed)
	case badge:
	case passed > 0:
		text += "; it does not differ from itself (A/A)"
	default:
		text += "; it was not measured against itself (A/A)"
	}
	return text + "."
}

// again is how many comparisons of the baseline with itself found no
// difference, and how many found one.
func (s study) again() (passed, failed int) {
	for _, c := range s.values() {
		switch {
		case c.Same == nil:
		case c.Same.Verdict == stats.Proven:
			failed++
		default:
			passed++
		}
	}
	return passed, failed
}
