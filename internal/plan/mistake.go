package plan

import (
	"fmt"
	"slices"
	"strings"

	"weir/internal/visible"
)

// Mistake is one thing that is wrong with a plan, and where.
type Mistake struct {
	File    string // name of the plan
	Line    int    // from 1
	Column  int    // from 1, in characters
	Source  string // the offending line
	Message string // what is wrong and what was meant
}

// Error is the mistake in three lines: place and message, the offending line,
// and a caret below the place.
func (m Mistake) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, visible.Brief(m.Message))
	if strings.TrimSpace(m.Source) == "" {
		return s
	}
	number := fmt.Sprint(m.Line)
	margin := strings.Repeat(" ", len(number))
	source, column := excerpt(m.Source, m.Column)
	return fmt.Sprintf("%s\n  %s | %s\n  %s | %s^", s, number, source, margin, indent(source, column))
}

// How much of a line is shown, in characters, and how much of that before the
// place.
const (
	longestSource = 160
	before        = 60
)

// excerpt is a line, or what is around a column of a long one, and where that
// column is then.
func excerpt(line string, column int) (string, int) {
	runes := []rune(line)
	if len(runes) <= longestSource {
		return line, column
	}
	from := max(0, min(column-1-before, len(runes)-longestSource))
	to := min(len(runes), from+longestSource)
	out := string(runes[from:to])
	column -= from
	if from > 0 {
		out, column = "..."+out, column+3
	}
	if to < len(runes) {
		out += "..."
	}
	return out, column
}

// indent is the white space that puts a caret below column of line; tabs stay
// tabs, so that the terminal widens both lines alike.
func indent(line string, column int) string {
	var b strings.Builder
	for i, r := range []rune(line) {
		if i >= column-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Mistakes are all the mistakes found in one plan, in the order of its lines.
type Mistakes []Mistake

// mostMistakes is how many are told at once.
const mostMistakes = 50

// Error lists the mistakes one below the other.
func (ms Mistakes) Error() string {
	var parts []string
	for i, m := range ms {
		if i == mostMistakes {
			parts = append(parts, fmt.Sprintf("and %d more mistakes", len(ms)-i))
			break
		}
		parts = append(parts, m.Error())
	}
	return strings.Join(parts, "\n")
}

// inOrder sorts by place and drops repetitions, which a default that is itself
// invalid for several levels would produce.
func (ms Mistakes) inOrder() Mistakes {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return slices.Compact(ms)
}
