package campaign

import (
	"fmt"
	"slices"
	"strings"
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
	s := fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Message)
	if strings.TrimSpace(m.Source) == "" {
		return s
	}
	number := fmt.Sprint(m.Line)
	margin := strings.Repeat(" ", len(number))
	return fmt.Sprintf("%s\n  %s | %s\n  %s | %s^", s, number, m.Source, margin, indent(m.Source, m.Column))
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

// Error lists the mistakes one below the other.
func (ms Mistakes) Error() string {
	parts := make([]string, len(ms))
	for i, m := range ms {
		parts[i] = m.Error()
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
