package figures

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/proof"
)

// Footnotes say what has to be known of cells of a table, each once. Texts that
// differ in numbers only are one where they are about several cells in the same
// way.
type Footnotes struct{ list MessageGroups }

// number is that of a note, from 1.
func (f *Footnotes) number(s weir.Sentence) int {
	t, _ := f.list.Add("", s, "")
	return slices.Index(f.list, t) + 1
}

// exact is the number of a note whose numbers belong to one cell.
func (f *Footnotes) exact(text string) int {
	i := FindOrAdd(&f.list, func(g *MessageGroup) bool { return g.Text() == text }, &MessageGroup{first: weir.Sentence{Text: text}})
	return i + 1
}

// Texts are the notes in the order of their numbers.
func (f *Footnotes) Texts() []string {
	out := make([]string, len(f.list))
	for i, t := range f.list {
		out[i] = t.Text()
	}
	return out
}

// Noted are the notes about a cell that holds some runs of one transfer, by
// their numbers ("1", "1,3"), and what kinds they are of.
func (f *Footnotes) Noted(runs []*weir.Result) (numbers string, kinds []string) {
	var list []int
	add := func(kind string, n int) {
		kinds, list = With(kinds, kind), With(list, n)
	}
	for _, why := range reasonsOf(runs) {
		add(why.kind, f.number(why.text))
	}
	if t, n := warnedOf(runs, weir.DiskBound); n > 0 {
		add("disk-bound", f.exact(fmt.Sprintf("disk-bound%s: %s", someOf(n, len(runs)), t.Text())))
	}
	if t, n := warnedOf(runs, weir.UnstableRate); n > 0 {
		add("unstable", f.number(weir.Say("unstable%s: %s", someOf(n, len(runs)), t.first)))
	}
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ","), kinds
}

// A lack is why runs have no value.
type lack struct {
	kind string
	text weir.Sentence
}

// reasonsOf are why some of the runs of a cell have no value, each once.
func reasonsOf(runs []*weir.Result) []lack {
	var out []lack
	counts := make(map[string]int)
	for _, r := range runs {
		if r.Unmeasured != "" {
			counts[r.Unmeasured]++
		}
	}
	for _, r := range runs {
		n := counts[r.Unmeasured]
		if r.Unmeasured == "" || n == 0 {
			continue
		}
		counts[r.Unmeasured] = 0
		why := strings.TrimSuffix(r.Unmeasured, ".")
		some := someOf(n, len(runs))
		if r.BrokeOff != "" {
			out = append(out, lack{"broke off", weir.Say("broke off%s: %s", some, strings.TrimSuffix(r.BrokeOff, "."))})
		} else {
			out = append(out, lack{"not tested", weir.Say("not tested%s, because: %s", some, why)})
		}
	}
	return out
}

// BriefReason returns why a run does not count in a few words: of a program that broke off only
// that.
func BriefReason(s proof.Sample) string {
	if s.Result != nil && s.Result.BrokeOff != "" && s.Doubt == s.Result.Unmeasured {
		return s.Result.Method + " broke off"
	}
	return s.Doubt
}

// someOf is " in 2 of 6 runs"; "" where it is all of them.
func someOf(n, all int) weir.Sentence {
	if n == all {
		return weir.Sentence{}
	}
	return weir.Say(" in %d of %d runs", n, all)
}

// warnedOf returns what the warnings of a code say of some runs, and how many of these
// have one.
func warnedOf(runs []*weir.Result, code weir.WarningCode) (group *MessageGroup, n int) {
	var all MessageGroups
	for _, r := range runs {
		for _, w := range r.Warnings {
			if w.Code == code {
				all.Add("", w.Sentence, "")
			}
		}
		if weir.HasWarning(r.Warnings, code) {
			n++
		}
	}
	if n > 0 {
		group = all[0]
	}
	return group, n
}
