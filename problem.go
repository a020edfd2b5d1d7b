package weir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with what was asked for, and that would be so however often
// it was tried.
type Problem struct {
	At   Place  // in the plan that asks for it; the zero Place: nowhere
	What string // is wrong; a colon leads from it to Do, unless it ends in a mark of its own ("?", ";")
	Do   string // about it; "": What says all
}

// Place is a place in a plan.
type Place struct {
	File   string // name of the plan
	Line   int    // from 1
	Column int    // from 1, in characters
	Source string // that line
}

// Error is what is wrong and what to do about it; where the place is known, in three lines: place
// and message, the line, and a caret below the place.
func (p Problem) Error() string {
	text := p.What
	switch {
	case p.Do == "":
	case strings.HasSuffix(text, "?"), strings.HasSuffix(text, ";"):
		text += " " + p.Do
	default:
		text += ": " + p.Do
	}
	if p.At.Line == 0 {
		return text
	}
	s := fmt.Sprintf("%s:%d:%d: %s", p.At.File, p.At.Line, p.At.Column, text)
	if strings.TrimSpace(p.At.Source) == "" {
		return s
	}
	number := fmt.Sprint(p.At.Line)
	margin := strings.Repeat(" ", len(number))
	source, column := excerpt(p.At.Source, p.At.Column)
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
	runes := []rune(line)
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(runes[:min(max(column-1, 0), len(runes))]))
}

// Problems are all the problems that were found; none: nothing is wrong.
type Problems []Problem

// Wrong returns one problem that has no place.
func Wrong(format string, args ...any) Problems {
	return Problems{{What: fmt.Sprintf(format, args...)}}
}

// When returns one problem that has no place if is, and none otherwise.
func When(is bool, format string, args ...any) Problems {
	if !is {
		return nil
	}
	return Wrong(format, args...)
}

// Advise says what to do about the last problem, if there is one.
func (ps Problems) Advise(format string, args ...any) Problems {
	if n := len(ps); n > 0 {
		ps[n-1].Do = fmt.Sprintf(format, args...)
	}
	return ps
}

// In says where all of them are.
func (ps Problems) In(at Place) Problems {
	for i := range ps {
		ps[i].At = at
	}
	return ps
}

// mostProblems is how many Error shows.
const mostProblems = 50

// Error lists the problems one below the other.
func (ps Problems) Error() string {
	var parts []string
	for i, p := range ps {
		if i == mostProblems {
			parts = append(parts, fmt.Sprintf("and %d more mistakes", len(ps)-i))
			break
		}
		parts = append(parts, p.Error())
	}
	return strings.Join(parts, "\n")
}

// Err is the problems as an error; nil where there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// InOrder sorts by place and drops repetitions: what is wrong at several levels is found at each
// of them.
func (ps Problems) InOrder() (out Problems) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(a.At.Line-b.At.Line, a.At.Column-b.At.Column)
	})
	for _, p := range ps {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}
