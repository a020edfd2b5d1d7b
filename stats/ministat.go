package stats

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Set is a named set of values, as one file of numbers holds.
type Set struct {
	Name   string
	Values []float64 // in the order in which they were found
}

// MinistatOptions are the choices of FreeBSD's ministat, whose letters are
// given. The zero value is what it does without any.
type MinistatOptions struct {
	Level        float64 // -c: confidence in percent, one of MinistatLevels; 0: 95
	Width        int     // -w: of the plot in characters, from 2; 0: 74
	SeparateBars bool    // -s: a line of its own for each set's mean, median and deviation
	NoPlot       bool    // -A: all but the plot
	SummaryOnly  bool    // -n: neither plot nor test
	Bare         bool    // -q: neither the names nor the heading of the table
}

// The limits of ministat.
const (
	MinistatLeast = 3 // values in a set
	MinistatMost  = 7 // sets

	ministatWidth  = 74
	ministatWidest = 10_000 // characters; nobody reads more
	ministatFar    = 1e150  // from zero; the squares of values have to be finite
)

// symbols mark the sets in the plot, by their numbers from 1.
var symbols = [...]byte{' ', 'x', '+', '*', '%', '#', '@', 'O'}

// Ministat writes what FreeBSD's ministat prints of sets, character for
// character: a plot, the figures of each set, and whether each differs from the
// first by Student's t with one variance for both. It takes the values as they
// are, knows no blocks, and corrects nothing for many comparisons: Compare is
// for verdicts, this is for those who know that tool. Old copies of it, such as
// Debian's, have the upper one of the middle two values for the median of an
// even number, and leave the baseline's own scatter out of the percentage after
// the second +/-.
//
// The errors say which set has too few values or one that is not finite,
// that there are too many sets, or which option is out of its range.
func Ministat(w io.Writer, sets []Set, o MinistatOptions) error {
	o.Level, o.Width = cmp.Or(o.Level, 95), cmp.Or(o.Width, ministatWidth)
	if err := o.check(sets); err != nil {
		return err
	}
	var b strings.Builder
	all := make([]figures, len(sets))
	for i, s := range sets {
		all[i] = figuresOf(s.Values)
		if !o.Bare {
			fmt.Fprintf(&b, "%c %s\n", symbols[i+1], s.Name)
		}
	}
	if !o.NoPlot && !o.SummaryOnly {
		plot(&b, all, o)
	}
	if !o.Bare {
		b.WriteString("    N           Min           Max        Median           Avg        Stddev\n")
	}
	for i, f := range all {
		fmt.Fprintf(&b, "%c %3d %13.8g %13.8g %13.8g %13.8g %13.8g\n", symbols[i+1], len(f.sorted), f.min(), f.max(), middle(f.sorted), f.mean, f.deviation())
		if i > 0 && !o.SummaryOnly {
			judged(&b, f, all[0], o.Level)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// check is what is wrong with sets and options.
func (o MinistatOptions) check(sets []Set) error {
	switch {
	case len(sets) == 0:
		return errors.New("there is no set of values to describe")
	case len(sets) > MinistatMost:
		return fmt.Errorf("too many sets: there are %d, and ministat has symbols for %d: compare fewer at once", len(sets), MinistatMost)
	case !slices.Contains(MinistatLevels(), o.Level):
		return fmt.Errorf("ministat knows no confidence level of %g %%: it is one of %s", o.Level, strings.Trim(fmt.Sprint(MinistatLevels()), "[]"))
	case o.Width < 2 || o.Width > ministatWidest:
		return fmt.Errorf("a plot cannot be %d characters wide: choose 2 to %d", o.Width, ministatWidest)
	}
	for _, s := range sets {
		if len(s.Values) < MinistatLeast {
			return fmt.Errorf("the set %s has %d values: ministat needs at least %d in each", s.Name, len(s.Values), MinistatLeast)
		}
		for i, v := range s.Values {
			if !(math.Abs(v) <= ministatFar) {
				return fmt.Errorf("value %d of the set %s is no number up to %g: %g", i+1, s.Name, ministatFar, v)
			}
		}
	}
	return nil
}

// figures are those of a set. The conversions keep a compiler from fusing a
// product with a sum, which would change the last digits on some machines.
type figures struct {
	sorted         []float64
	mean, variance float64
}

func figuresOf(values []float64) figures {
	f := figures{sorted: slices.Clone(values)}
	slices.SortStableFunc(f.sorted, cmp.Compare) // stable: -0 and 0 stay in the order of the file
	sum := 0.0
	for _, v := range values { // in the order of the file, as ministat adds up
		sum += v
	}
	n := float64(len(values))
	f.mean = sum / n
	squares := 0.0
	for _, v := range f.sorted { // and these in ascending order
		squares += float64((v - f.mean) * (v - f.mean))
	}
	f.variance = squares / (n - 1)
	return f
}

func (f figures) n() float64         { return float64(len(f.sorted)) }
func (f figures) min() float64       { return f.sorted[0] }
func (f figures) max() float64       { return f.sorted[len(f.sorted)-1] }
func (f figures) deviation() float64 { return math.Sqrt(f.variance) }
