package report

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/figures"
	"weir/internal/proof"
)

// maxLeft is the most runs that are listed as left out.
const maxLeft = 20

// leftLines are the runs that do not count, with their reasons.
func (s study) leftLines() []string {
	var groups figures.MessageGroups
	var wheres []string
	runs := make(map[*figures.MessageGroup][]string)
	for _, c := range s.measured() {
		for _, r := range c.Runs {
			if r.Doubt == "" || r.Beside {
				continue
			}
			where := s.where(c)
			g, there := groups.Add(where, weir.Sentence{Text: r.Doubt}, "")
			if !there {
				wheres = append(wheres, where)
			}
			name := fmt.Sprintf("%d (%s)", r.Run.Number, s.ran(r.Run))
			if r.Run.Number == 0 { // a campaign that has no runs is one
				name = "of " + r.Arm
			}
			runs[g] = figures.With(runs[g], name)
		}
	}
	var out []string
	for i, g := range groups {
		if i == maxLeft {
			return append(out, fmt.Sprintf("%d more; the JSON report has the warnings of all runs", len(groups)-maxLeft))
		}
		text := figures.Plural(len(runs[g]), "run") + " " + shortened(runs[g]) + ": " + g.Text()
		out = append(out, strings.TrimPrefix(wheres[i]+", ", ", ")+text)
	}
	return out
}

// measured are the comparisons of values of which some run has one: why the
// others have none is with their cells.
func (s study) measured() []proof.Comparison {
	return slices.DeleteFunc(s.values(), func(c proof.Comparison) bool { return c.Unmeasured() != "" })
}

// where names a comparison in a list about all of them. Transfers of all programs
// go the same way.
func (s study) where(c proof.Comparison) string {
	if c.Unmeasured() != "" {
		return measure(c)
	}
	if figures.OfTransfer(c) && several(s.values()) {
		return measure(c) + ", " + s.traffic(c)
	}
	if c.Figure != "" || several(s.values()) {
		return strings.TrimSpace(s.traffic(c) + " " + measure(c))
	}
	return s.traffic(c)
}

// shortened is a list of which no more than a few are named.
func shortened(list []string) string {
	if len(list) > figures.ManyRows {
		return strings.Join(list[:figures.ManyRows], ", ") + fmt.Sprintf(" and %d more", len(list)-figures.ManyRows)
	}
	return strings.Join(list, ", ")
}

// ran names the arm of a run, and says whether it is the baseline's A/A.
func (s study) ran(r weir.Run) string {
	name := s.short(r.Arm)
	if r.Again {
		name += ", again"
	}
	return name
}

// A verdictNote is a veto or a warning with what it concerns.
type verdictNote struct {
	Where []string
	weir.Warning
	Veto bool
}

// String is the verdictNote in one line.
func (r verdictNote) String() string {
	if len(r.Where) == 0 {
		return r.Text
	}
	where := r.Where
	if more := len(where) - figures.ManyRows; more > 1 {
		where = append(slices.Clone(where[:figures.ManyRows]), fmt.Sprintf("and %d more", more))
	}
	if about := figures.RowList(where); about != "" {
		return about + ": " + r.Text
	}
	return r.Text // of the only comparison, which needs no name
}

// remarks are the vetoes of a study and its warnings, each once.
func (s study) remarks() []verdictNote {
	var out []verdictNote
	var about [][]proof.Comparison // of each
	add := func(c *proof.Comparison, list []weir.Warning, veto bool) {
		for _, w := range list {
			i := slices.IndexFunc(out, func(r verdictNote) bool { return r.Same(w) && r.Veto == veto })
			if i < 0 {
				i = len(out)
				out, about = append(out, verdictNote{Warning: w, Veto: veto}), append(about, nil)
			}
			if c != nil {
				about[i] = append(about[i], *c)
			}
		}
	}
	add(nil, s.Vetoes, true)
	for _, c := range s.Comparisons {
		own := slices.DeleteFunc(slices.Clone(c.Vetoes), func(w weir.Warning) bool { return slices.ContainsFunc(s.Vetoes, w.Same) })
		add(&c, own, true)
	}
	add(nil, s.Warnings, false)
	for _, c := range s.values() {
		add(&c, c.Warnings, false)
	}
	for i, list := range about {
		out[i].Where = s.whereAll(list)
	}
	return out
}

// whereAll names comparisons; those of one figure together where all of it are meant.
func (s study) whereAll(list []proof.Comparison) (out []string) {
	of := func(all []proof.Comparison, c proof.Comparison) (n int) {
		for _, o := range all {
			if measure(o) == measure(c) {
				n++
			}
		}
		return n
	}
	for _, c := range list {
		if n := of(s.Comparisons, c); c.Figure != "" && n > 1 && of(list, c) == n {
			out = figures.With(out, measure(c))
		} else {
			out = figures.With(out, s.where(c))
		}
	}
	return out
}

// leftText is how many results do not count, and why: "48 of 144 results: the
// search ended at the edge of its range in 12 of them, 34 are in a block with
// one of these"; "" where all count.
func (s study) leftText() string {
	var whys []string
	number := make(map[string]int)
	all, sameBlock := 0, 0
	for _, c := range s.measured() {
		for _, r := range c.Runs {
			all++
			switch {
			case r.Doubt == "":
			case r.Beside:
				sameBlock++
			default:
				why := figures.BriefReason(r)
				whys = figures.With(whys, why)
				number[why]++
			}
		}
	}
	left := sameBlock
	parts := make([]string, 0, len(whys)+1)
	for _, why := range whys {
		left += number[why]
		parts = append(parts, fmt.Sprintf("%s (%d)", why, number[why]))
	}
	if left == 0 {
		return ""
	}
	if sameBlock > 0 {
		parts = append(parts, fmt.Sprintf("in a block with such a run (%d)", sameBlock))
	}
	return fmt.Sprintf("%d of %d results do not count: %s", left, all, strings.Join(parts, ", "))
}

// warned are the warnings of an experiment's results in a line each. Which runs
// these cost is among those that are left out; here is what was noticed.
func (v view) warned(c weir.Campaign) []string {
	var out []string
	_, c = splitRuns(c)
	for _, d := range figures.GroupWarnings(v.Grid) {
		n := 0
		for _, r := range c.Results {
			if weir.HasWarning(r.Warnings, d.Code) {
				n++
			}
		}
		line := fmt.Sprintf("%s in %s of %s %s: %s", d.Code, figures.Number(float64(n), 0), figures.Number(float64(len(c.Results)), 0), figures.Plural(len(c.Results), "result"), d.Messages[0].Text())
		if more := len(d.Messages) - 1 + d.More; more > 0 {
			line += fmt.Sprintf("; %d more %s of it", more, figures.Plural(more, "kind"))
		}
		out = append(out, line)
	}
	return out
}

// ofTrials is what the lines of warned are called.
const ofTrials = "warnings of trials; what they cost is under left out"

// A miss is what keeps claims from a stronger name.
type miss struct {
	Text string
	Refs string // the claims that it concerns, "[2][3]"
}

// misses are what claims miss, each once, in the order of appearance.
func misses(list []figures.Earned) []miss {
	var out []miss
	for i, e := range list {
		for _, text := range e.Missed {
			at := figures.FindOrAdd(&out, func(m miss) bool { return m.Text == text }, miss{Text: text})
			out[at].Refs += fmt.Sprintf("[%d]", i+1)
		}
	}
	return out
}
