package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
	"weir/stats"
)

// verdictWords are verdicts in a word or two.
var verdictWords = map[stats.Verdict]string{
	stats.Proven: "proven", stats.Equivalent: "equivalent", stats.Inconclusive: "not proven", stats.Vetoed: "no verdict",
}

// count is "12", or "12/11" where the baseline has another number of runs.
func (s study) count(l effectRow) string {
	a, b := counted(l.Comparison, l.Effect.Arm), counted(l.Comparison, l.Baseline)
	if a == b {
		return figures.Number(float64(a), 0)
	}
	return fmt.Sprintf("%d/%d", a, b)
}

// gain is how wide an interval is relative to the one that would be there
// without the blocks; 0 where there are none, or that is not known.
func gain(c proof.Comparison, e stats.Effect) float64 {
	if c.Blocks == 0 || !bounded(e.Change) || !bounded(e.Welch) {
		return 0
	}
	return (e.Change.Upper - e.Change.Lower) / (e.Welch.Upper - e.Welch.Lower)
}

// gained says what the blocks were good for.
func (s study) gained() string {
	var gains []float64
	for _, l := range effectsOf(s.values()) {
		if g := gain(l.Comparison, l.Effect); g > 0 {
			gains = append(gains, g)
		}
	}
	if len(gains) == 0 {
		return ""
	}
	slices.Sort(gains)
	text := "What is slow beside the runs cancels within a block"
	if gains[len(gains)/2] >= 1 {
		text = "Little was slow beside the runs, and blocks gained nothing"
	}
	return fmt.Sprintf("%s: intervals are %s times as wide as Welch's of the same runs%s.", text,
		figures.Number(gains[len(gains)/2], 2), figures.Pick(len(gains), "", fmt.Sprintf(" (median; %s to %s)", figures.Number(gains[0], 2), figures.Number(gains[len(gains)-1], 2))))
}

// several reports whether comparisons are of several methods or figures.
func several(list []proof.Comparison) bool {
	return slices.ContainsFunc(list, func(c proof.Comparison) bool { return measure(c) != measure(list[0]) })
}

// verdictTable is the table of all effects of comparisons.
func (s study) verdictTable(list []proof.Comparison) document.Table {
	t := document.TableOf(s.verdictColumns(list), effectsOf(list))
	t.Broken = true
	return t
}

// verdictColumns are what is shown of an effect, to people and to programs: to
// these in base units, with changes as shares, and nothing where it is not known.
func (s study) verdictColumns(list []proof.Comparison) []document.Column[effectRow] {
	var out []document.Column[effectRow]
	data := func(key string, value func(effectRow) string) {
		out = append(out, document.Column[effectRow]{Key: key, Value: value})
	}
	shown := func(h document.Heading, key string, text, value func(effectRow) string) {
		out = append(out, document.Column[effectRow]{Heading: h, Text: text, Key: key, Value: value})
	}
	low, high := reach(list)
	data("method", func(l effectRow) string { return l.Method })
	data("figure", func(l effectRow) string { return l.Figure })
	data("loss_ratio", func(l effectRow) string { return figures.Exact(l.LossRatio) })
	shown(document.Heading{Head: cornerOf(list)}, "traffic", func(l effectRow) string { return cmp.Or(s.traffic(l.Comparison), "all") }, func(l effectRow) string { return l.Traffic })
	if several(list) {
		shown(document.Heading{Head: "what", Words: true}, "", func(l effectRow) string { return measure(l.Comparison) }, nil)
	}
	data("levels", func(l effectRow) string { return result.Levels(l.Factors, s.common) })
	data("unit", func(l effectRow) string { return l.Unit })
	data("baseline", func(l effectRow) string { return l.Baseline })
	shown(document.Heading{Head: "arm", Words: true}, "arm", func(l effectRow) string { return s.short(l.Effect.Arm) }, func(l effectRow) string { return l.Effect.Arm })
	data("again", func(l effectRow) string { return strconv.FormatBool(l.again()) })
	data("baseline_runs", func(l effectRow) string { return strconv.Itoa(counted(l.Comparison, l.Baseline)) })
	data("runs", func(l effectRow) string { return strconv.Itoa(counted(l.Comparison, l.Effect.Arm)) })
	data("baseline_mean", func(l effectRow) string { return written64(center(summary(l.Comparison, l.Baseline))) })
	data("mean", func(l effectRow) string { return written64(center(summary(l.Comparison, l.Effect.Arm))) })
	shown(document.Heading{Head: "change"}, "change", func(l effectRow) string { return changeOf(l.Effect) }, func(l effectRow) string { return written64(l.Effect.Change.Estimate) })
	data("lower", func(l effectRow) string {
		if l.Effect.AtMost {
			return ""
		}
		return written64(l.Effect.Change.Lower)
	})
	data("upper", func(l effectRow) string {
		if l.Effect.AtLeast {
			return ""
		}
		return written64(l.Effect.Change.Upper)
	})
	shown(document.Heading{Head: "interval", Unit: s.confidence()}, "", func(l effectRow) string { return boundsOf(l.Effect) }, nil)
	out[len(out)-1].Look = func(l effectRow, c *document.Cell) { c.Picture = l.picture(low, high) }
	shown(document.Heading{Head: "verdict", Words: true}, "", func(l effectRow) string { return verdictWords[l.Effect.Verdict] }, nil)
	out[len(out)-1].Look = func(l effectRow, c *document.Cell) { _, c.Class = markOf(l.Comparison, l.Effect) }
	data("p", func(l effectRow) string { return written64(l.Effect.P) })
	shown(document.Heading{Head: "p", Unit: "Holm"}, "p_holm", func(l effectRow) string { return probability(l.Effect.Adjusted) }, func(l effectRow) string { return written64(l.Effect.Adjusted) })
	shown(document.Heading{Head: "p", Unit: "rank", Keep: 2}, "p_rank", func(l effectRow) string { return probability(l.Effect.RankP) }, func(l effectRow) string { return written64(l.Effect.RankP) })
	data("verdict", func(l effectRow) string { return string(l.Effect.Verdict) })
	shown(document.Heading{Head: "runs", Unit: "a side"}, "", s.count, nil)
	shown(document.Heading{Head: "more", Unit: "runs", Keep: 3}, "more_runs", func(l effectRow) string {
		if l.Effect.More == 0 {
			return figures.Missing
		}
		return figures.Number(float64(l.Effect.More), 0)
	}, func(l effectRow) string { return strconv.Itoa(l.Effect.More) })
	data("blocks", func(l effectRow) string { return strconv.Itoa(l.Blocks) })
	data("width_by_welch", func(l effectRow) string {
		if g := gain(l.Comparison, l.Effect); g > 0 {
			return figures.Exact(g)
		}
		return ""
	})
	if slices.ContainsFunc(list, func(c proof.Comparison) bool { return c.Blocks > 0 }) {
		shown(document.Heading{Head: "width by", Unit: "Welch's", Keep: 1}, "", func(l effectRow) string {
			if g := gain(l.Comparison, l.Effect); g > 0 {
				return figures.Number(g, 2)
			}
			return figures.Missing
		}, nil)
	}
	return out
}

// again reports whether an effect is that of the baseline against itself.
func (l effectRow) again() bool { return l.Same != nil && l.Effect.Arm == l.Same.Arm }

// cornerOf is the heading over what was sent, in a table of comparisons.
func cornerOf(list []proof.Comparison) string {
	if len(list) > 0 && !slices.ContainsFunc(list, func(c proof.Comparison) bool { return !figures.OfTransfer(c) }) {
		return "transfer"
	}
	return "frame"
}

// confidence is that of the intervals: "95 %".
func (s study) confidence() string {
	level := s.Experiment.Confidence
	if level == 0 {
		level = .95
	}
	return figures.Percent(level) + " %"
}

// design says how the runs were ordered and what counts as a difference.
func (s study) design() string {
	e := s.Experiment
	var parts []string
	if n := len(e.Arms); n > 0 {
		text := fmt.Sprintf("%d %s", n, figures.Plural(n, "arm"))
		if e.Same {
			text += " and the baseline once more (A/A)"
		}
		parts = append(parts, text)
	}
	return strings.Join(append(parts, s.ordered()), ", ")
}

// ordered is the design without what was varied.
func (s study) ordered() string {
	e := s.Experiment
	var parts []string
	switch e.Schedule {
	case weir.Blocks:
		parts = append(parts, "randomised complete blocks, seed "+fmt.Sprint(e.Seed))
	case weir.Abreast:
		parts = append(parts, "the arms of a block side by side, in windows in turn, seed "+fmt.Sprint(e.Seed))
	case weir.ABBA:
		parts = append(parts, "blocks "+s.mirrored()+", seed "+fmt.Sprint(e.Seed))
	default:
		parts = append(parts, "the order of the runs is not known")
	}
	switch e.Reset {
	case weir.NoReset:
		parts = append(parts, "nothing reset between runs of one arm")
	case weir.Reapply:
		what := "levels"
		if e.ByHand > 0 {
			what = "levels that are commands"
		}
		parts = append(parts, what+" undone and set anew between runs")
	case weir.Rebuild:
		parts = append(parts, "testbed set up anew between runs")
	case weir.Reboot:
		parts = append(parts, "DUT rebooted between runs")
	case weir.Power:
		parts = append(parts, "DUT without power between runs")
	}
	parts = append(parts, s.confidence()+" intervals")
	if e.Detect > 0 {
		made := "made to see changes of " + figures.Percent(e.Detect) + " %"
		switch {
		case e.Needed == 0:
			made = "changes of " + figures.Percent(e.Detect) + " % matter"
		case e.Needed > e.Runs:
			made = fmt.Sprintf("changes of %s %% take %d replicates by the pilot, and %d were the most: smaller ones than these can see are missed", figures.Percent(e.Detect), e.Needed, e.Runs)
		}
		parts = append(parts, made)
	}
	if e.Margin > 0 {
		parts = append(parts, "changes below "+figures.Percent(e.Margin)+" % make no difference")
	}
	return strings.Join(parts, ", ")
}

// mirrored is the order in which blocks follow on each other that are made once more
// backwards.
func (s study) mirrored() string {
	if s.Experiment.ByHand > 0 {
		return "there and back"
	}
	return "in ABBA order"
}

// byHand is what it costs a proof that a person has set the DUT, and how it is left.
func (s study) byHand() []string {
	e := s.Experiment
	if e.ByHand == 0 {
		return nil
	}
	text := fmt.Sprintf("weir asked %d %s for the box to be set by hand, ", e.ByHand, figures.Plural(e.ByHand, "time"))
	var left []string
	if e.Left != "" {
		left = []string{fmt.Sprintf("the box is left as it was set by hand last: to %q", e.Left)}
	}
	if e.Schedule != weir.ABBA {
		return append([]string{text + "in the order of the runs, which was drawn"}, left...)
	}
	text += "in an order there and back, which asks for few changes and was not drawn: what changes steadily meanwhile cancels, what comes and goes in the time of two blocks would not"
	if e.Same {
		text += "; the baseline's second run (A/A) is with the box as it was set for the first, so that it does not show by how much the box differs each time that it is set"
	}
	return append([]string{text}, left...)
}

// deviation is a relative one in percent, with two digits.
func deviation(d float64) string {
	switch {
	case d >= .095:
		return figures.Number(d*100, 0)
	case d >= .0095:
		return figures.Number(d*100, 1)
	}
	return figures.Number(d*100, 2)
}

// effectTables are those of a factorial: main effects and interactions.
func (s study) effectTables() []document.Table {
	columns := []document.Column[proof.Term]{
		{Heading: document.Heading{Head: "effect", Words: true}, Text: termWords},
		{Heading: document.Heading{Head: "change"}, Text: func(t proof.Term) string { return changed(t.Change) }},
		{Heading: document.Heading{Head: s.confidence() + " interval"}, Text: func(t proof.Term) string { return bounds(t.Change) }},
		{Heading: document.Heading{Head: "p", Unit: "not adjusted"}, Text: func(t proof.Term) string { return probability(t.P) }},
	}
	var out []document.Table
	for _, e := range s.Effects {
		if !interacts(e.Terms) {
			continue
		}
		t := document.TableOf(columns, e.Terms)
		t.Title, t.Broken = strings.TrimSuffix(measure(proof.Comparison{Method: e.Method, LossRatio: e.LossRatio, Transfer: e.Transfer}), ", "), true
		if vetoes := texts(e.Vetoes); vetoes != "" {
			t.Note = "not proven: " + vetoes
		}
		out = append(out, t)
	}
	return out
}

// termWords is a main effect or an interaction: "firewall stateful x path xdp".
func termWords(t proof.Term) string {
	parts := make([]string, len(t.Factors))
	for i, f := range t.Factors {
		parts[i] = strings.ReplaceAll(f, "_", " ")
		if i < len(t.Levels) {
			parts[i] = figures.LevelWords(f, t.Levels[i])
		}
	}
	return strings.Join(parts, " x ")
}

// interacts reports whether terms are of several factors: of one the verdicts
// say the same.
func interacts(terms []proof.Term) bool {
	return slices.ContainsFunc(terms, func(t proof.Term) bool { return !slices.Equal(t.Factors, terms[0].Factors) })
}
