// Package warning is the table of what each warning of a result means: what happened, what to
// do about it, and what it does to trials, comparisons and the cells of a table. A new warning
// is one entry there, and the place that raises it.
//
// The package raises none, and prints nothing.
package warning

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"weir"
)

// Kind is what all warnings of a code have in common.
type Kind struct {
	Code   weir.WarningCode
	Label  string // what happened in some words, for lines that have room for no more
	Means  string // what happened, in Markdown
	Advice string // what to do about it, in sentences

	Does  Consequence // for a comparison of runs
	Brief string      // why a run that has it does not count, in a clause; "" where it does

	Repeats  Repetition // of a trial that has it
	Disturbs string     // what disturbed a trial that has it, in a clause; "": nothing did
	Cause    bool       // its text names what disturbs the tester, and the command that mends that
	Mend     string     // what helps where windows had to be left out for it
	OfTrial  bool       // it says nothing of the single windows of a trial

	Marks    Cells // of a sweep, which are in doubt for it
	NoNumber bool  // its text says why a sweep has no number
}

// Consequence is what a warning of a result does to a comparison of runs.
type Consequence int

// A comparison has these from a warning.
const (
	Informs Consequence = iota // nothing: it is the same for all arms, or a property of the DUT
	Doubts                     // the run, and with it its block, does not count
	Vetoes                     // there is no verdict at all
)

// Repetition says when a trial that has a warning is measured again.
type Repetition int

// The repetitions of a trial.
const (
	Never   Repetition = iota
	IfLossy            // its loss may not be the DUT's
	Always             // it was another trial than the one that was asked for
)

// Cells are columns of the table of sweeps.
type Cells int

// The columns of the table of sweeps that a warning may put in doubt.
const (
	Knee      Cells = 1 << iota // the load at which frames begin to be lost
	Saturated                   // what is forwarded of an overload
	AtHalf                      // latency and CPU, which are measured at half of the knee
)

// Kinds goes through all kinds, in the order of the documentation.
func Kinds() iter.Seq[Kind] { return slices.Values(kinds) }

// Of returns the kind of a code; one that is not in the table has the code alone.
func Of(code weir.WarningCode) Kind {
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Code == code }); i >= 0 {
		return kinds[i]
	}
	return Kind{Code: code, Label: string(code)}
}

// Table returns the rows of docs/results.md.
func Table() string {
	var b strings.Builder
	b.WriteString("| code | what happened | what to do |\n|---|---|---|\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Code, k.Means, k.Advice)
	}
	return b.String()
}
