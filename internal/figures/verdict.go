package figures

import (
	"slices"
	"strings"

	"weir/internal/claim"
)

// A verdictList gathers the results that have the same verdict.
type verdictList []verdict

type verdict struct {
	word  string
	about byHeading
}

// What rows have in common: "throughput" of "64" and "512".
type headed struct {
	heading string
	rows    []string
}

// labels are the rows in one text.
func (h headed) labels() string { return strings.Join(h.rows, ", ") }

// byHeading are rows by what they have in common.
type byHeading []headed

// String is "throughput (64, 512), loss 0.5 % (64)".
func (l byHeading) String() string {
	return joinedWith(", ", l, func(h headed) string { return h.heading + " (" + h.labels() + ")" })
}

func (l *byHeading) add(heading, label string) {
	i := FindOrAdd(l, func(h headed) bool { return h.heading == heading }, headed{heading: heading})
	(*l)[i].rows = With((*l)[i].rows, label)
}

func (l *verdictList) add(word, heading, label string) {
	i := FindOrAdd(l, func(v verdict) bool { return v.word == word }, verdict{word: word})
	(*l)[i].about.add(heading, label)
}

// FindOrAdd is the place of something in a list, to the end of which it is added where
// there is none.
func FindOrAdd[S ~[]T, T any](list *S, is func(T) bool, fresh T) int {
	i := slices.IndexFunc(*list, is)
	if i < 0 {
		i = len(*list)
		*list = append(*list, fresh)
	}
	return i
}

// lines are the verdicts with what they are about: "search not ended:
// throughput (64, 512), loss 0.5 % (64)".
func (l verdictList) lines() []string {
	var out []string
	for _, v := range l {
		text := v.word + ": " + v.about.String()
		if v.word == claim.NotEnded {
			text += "; a rate in the table is its lower bound, and " + Missing + " stands where it has none"
		}
		out = append(out, text)
	}
	return out
}
