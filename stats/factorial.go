package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Factor is what an experiment with several factors varies.
type Factor struct {
	Name    string
	Levels  []string // the first is the baseline
	Between bool     // whether all runs of a block have the same level, as with what is sent
}

// Row is one run of an experiment with several factors.
type Row struct {
	Levels    []string // in the order of the factors
	Block     int      // 0 in all rows: there are no blocks
	Replicate int      // of the blocks that hold each combination of the levels Between once; 0 in all rows: there are none
	Value     float64  // > 0
}

// Term is the effect of a level, or of two levels together beyond what each
// does by itself.
type Term struct {
	Factors []string // one for a main effect, two for an interaction
	Levels  []string // in the order of Factors
	Change  Interval // relative
	P       float64  // of no effect, for this term alone
	Error   float64  // standard error of the logarithm
	Freedom float64  // degrees of freedom of Error
}

// Factorial estimates main effects and interactions of two factors by least
// squares on the logarithms of the values.
//
// A main effect is the change from the first level of a factor to another, in
// the mean over the levels of the other factors. An interaction of two levels
// is by how much more the one changes the value beside the other than beside
// the baseline of that factor's, in the mean over the rest: values are
// multiplied by 1 + it. Where not all combinations of the levels of two factors
// were measured they have no interaction, and each effect is the same beside all
// levels of the other.
//
// What varies within blocks, and its interactions with anything, is told from
// within the blocks, and never from one block to another. Factors that vary
// between blocks are told from the means of the blocks, where the blocks and not
// their runs are the sample; without a second replicate there is no telling.
// Blocks that are not complete do not count there.
func Factorial(rows []Row, factors []Factor, o Options) ([]Term, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	f := factorial{factors: factors}
	if err := f.read(rows); err != nil {
		return nil, err
	}
	blocked := slices.ContainsFunc(rows, func(r Row) bool { return r.Block > 0 })
	var terms []Term
	for _, between := range []bool{false, true} {
		if between && !blocked {
			break
		}
		s := f.within(rows, blocked)
		if between {
			s = f.between(rows)
		}
		found, err := f.solve(s, o.alpha())
		if err != nil {
			return nil, err
		}
		terms = append(terms, found...)
	}
	// Main effects in the order of the factors, then interactions.
	slices.SortStableFunc(terms, func(a, b Term) int { return f.rank(a) - f.rank(b) })
	return terms, nil
}

// factorial is an experiment with several factors.
type factorial struct {
	factors []Factor
	levels  [][]int // of each row, by number
	logs    []float64
}

// stratum is a part of an experiment in which all runs are alike: with what is
// compared, and the groups that are compared within.
type stratum struct {
	levels  [][]int
	logs    []float64
	group   []int
	columns []column
	pairs   [][2]int // the factors whose interactions are in the model
}

// column is one term of the model: the levels at which it is 1.
type column struct {
	factors, levels []int
}

// at is the value of the column for levels.
func (c column) at(levels []int) float64 {
	for i, f := range c.factors {
		if levels[f] != c.levels[i] {
			return 0
		}
	}
	return 1
}

// read turns levels into numbers.
func (f *factorial) read(rows []Row) error {
	for _, r := range rows {
		if len(r.Levels) != len(f.factors) {
			return fmt.Errorf("a run has %d levels and there are %d factors", len(r.Levels), len(f.factors))
		}
		if !positive(r.Value) {
			return &ValueError{Observation{Arm: strings.Join(r.Levels, ", "), Value: r.Value}}
		}
		numbers := make([]int, len(r.Levels))
		for i, l := range r.Levels {
			if numbers[i] = slices.Index(f.factors[i].Levels, l); numbers[i] < 0 {
				return fmt.Errorf("a run has %s %q: the factor has the levels %s", f.factors[i].Name, l, strings.Join(f.factors[i].Levels, ", "))
			}
		}
		f.levels, f.logs = append(f.levels, numbers), append(f.logs, math.Log(r.Value))
	}
	return nil
}

// within is what blocks tell; without blocks all runs are one.
func (f *factorial) within(rows []Row, blocked bool) stratum {
	s := stratum{levels: f.levels, logs: f.logs}
	for _, r := range rows {
		s.group = append(s.group, r.Block)
	}
	f.model(&s, func(t []int) bool {
		return !blocked || slices.ContainsFunc(t, func(i int) bool { return !f.factors[i].Between })
	})
	return s
}

// between is what the means of complete blocks tell.
func (f *factorial) between(rows []Row) stratum {
	blocks := map[int][]int{} // rows of each
	var order []int
	most := 0
	for i, r := range rows {
		if len(blocks[r.Block]) == 0 {
			order = append(order, r.Block)
		}
		blocks[r.Block] = append(blocks[r.Block], i)
		most = max(most, len(blocks[r.Block]))
	}
	var s stratum
	for _, b := range order {
		if len(blocks[b]) < most {
			continue
		}
		logs := make([]float64, 0, most)
		for _, i := range blocks[b] {
			logs = append(logs, f.logs[i])
		}
		first := blocks[b][0]
		s.levels = append(s.levels, f.levels[first])
		s.logs = append(s.logs, stat.Mean(logs, nil))
		s.group = append(s.group, rows[first].Replicate)
	}
	f.model(&s, func(t []int) bool {
		return !slices.ContainsFunc(t, func(i int) bool { return !f.factors[i].Between })
	})
	return s
}

// model lists the columns of a stratum: the main effects and interactions of
// the terms that belong to it.
func (f *factorial) model(s *stratum, belongs func(factors []int) bool) {
	for i, a := range f.factors {
		if belongs([]int{i}) {
			for l := 1; l < len(a.Levels); l++ {
				s.columns = append(s.columns, column{[]int{i}, []int{l}})
			}
		}
	}
	for i, a := range f.factors {
		for j := i + 1; j < len(f.factors); j++ {
			b := f.factors[j]
			if !belongs([]int{i, j}) || !s.complete(i, j, len(a.Levels)*len(b.Levels)) {
				continue
			}
			s.pairs = append(s.pairs, [2]int{i, j})
			for l := 1; l < len(a.Levels); l++ {
				for k := 1; k < len(b.Levels); k++ {
					s.columns = append(s.columns, column{[]int{i, j}, []int{l, k}})
				}
			}
		}
	}
}

// complete reports whether all combinations of the levels of two factors are
// there.
func (s *stratum) complete(i, j, all int) bool {
	seen := map[[2]int]bool{}
	for _, l := range s.levels {
		seen[[2]int{l[i], l[j]}] = true
	}
	return len(seen) == all
}

// solve estimates the terms of a stratum. One that has nothing to tell has no
// terms; interactions that cannot be told apart are left out together.
func (f *factorial) solve(s stratum, alpha float64) ([]Term, error) {
	q, err := s.fit()
	if errors.Is(err, errAliased) && len(s.pairs) > 0 {
		s.pairs = nil
		s.columns = slices.DeleteFunc(s.columns, func(c column) bool { return len(c.factors) > 1 })
		q, err = s.fit()
	}
	if errors.Is(err, errAliased) {
		return nil, fmt.Errorf("the effects of %s cannot be told apart: in the runs that count they always change together", f.names(s))
	}
	if err != nil || q == nil {
		return nil, err
	}
	var terms []Term
	for _, c := range s.columns {
		e := q.estimate(f.contrast(s, c))
		t := Term{Change: e.change(alpha), P: e.p(), Error: e.err, Freedom: e.freedom}
		for i, n := range c.factors {
			t.Factors = append(t.Factors, f.factors[n].Name)
			t.Levels = append(t.Levels, f.factors[n].Levels[c.levels[i]])
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// contrast are the weights of the columns in a term: of a main effect the share
// of the levels of other factors at which an interaction comes to it.
func (f *factorial) contrast(s stratum, term column) []float64 {
	w := make([]float64, len(s.columns))
	for k, c := range s.columns {
		switch {
		case slices.Equal(c.factors, term.factors) && slices.Equal(c.levels, term.levels):
			w[k] = 1
		case len(term.factors) == 1 && len(c.factors) == 2:
			for i := range 2 {
				if c.factors[i] == term.factors[0] && c.levels[i] == term.levels[0] {
					w[k] = 1 / float64(len(f.factors[c.factors[1-i]].Levels))
				}
			}
		}
	}
	return w
}

// names are the factors of a stratum.
func (f *factorial) names(s stratum) string {
	var names []string
	for _, c := range s.columns {
		if name := f.factors[c.factors[0]].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// rank is the place of a term.
func (f *factorial) rank(t Term) int {
	place := 0
	for i, name := range t.Factors {
		n := slices.IndexFunc(f.factors, func(x Factor) bool { return x.Name == name }) + 1
		if i == 0 {
			place = n
		} else {
			place = (place+1)*(len(f.factors)+1) + n
		}
	}
	return place
}
