package importer

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"weir"
)

// mostNumbers is how many values of one set are read: a value is a run.
const mostNumbers = 1_000_000

const numbersName = "ministat"

// numbers are files with one number a line, as ministat reads them: each is a
// set, and each number a run.
var numbers = Format{
	Name: numbersName, Summary: "files of numbers, one a line as ministat reads them: each file is a set, each number a run",
	Recognise: func(f File) bool {
		for line := range strings.Lines(string(f.Head)) {
			word := field(line, 1)
			if word == "" {
				continue
			}
			_, err := strconv.ParseFloat(word, 64)
			return err == nil
		}
		return false
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c, sets, err := readSets(files, o)
		for _, s := range sets {
			for _, v := range s.Values {
				add(&c, s.Name, weir.Result{Claim: weir.PublishedAs(NumbersClaim), Value: v, Unit: s.Unit, Factors: weir.Factors{set: s.Name}})
			}
		}
		finish(&c, set)
		return c, err
	},
}

// NumbersClaim is what all numbers are called of which nobody said what they are.
const NumbersClaim = "the numbers"

// Set is what a file of plain numbers holds, in its order.
type Set struct {
	Name   string // of the file, without its folder
	Unit   string // weir.UnknownUnit where nobody said one
	Values []float64
}

// Sets are the numbers of a file, or of the files of a folder that holds nothing
// else, without a result of each number, of which there may be a million. Text, where
// it is not nil, stands for a file, as with Given. The campaign says where they come
// from, and has no results. There are no sets where there is another format; the
// errors are those of Import.
func Sets(path string, text []byte, o Options) (weir.Campaign, []Set, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	var groups []group
	var err error
	if text != nil {
		groups, err = single("", []File{{Path: path, given: text}})
	} else {
		groups, err = sorted("", []string{path})
	}
	if err != nil || len(groups) != 1 || groups[0].format.Name != numbersName {
		return weir.Campaign{}, nil, err
	}
	return readSets(groups[0].files, o)
}

func readSets(files []File, o Options) (weir.Campaign, []Set, error) {
	c := begin(numbersName, "a number of each run; what it counts was not said", files, o)
	var out []Set
	for _, f := range files {
		values, err := f.numbers(o.Column)
		if err != nil {
			return weir.Campaign{}, nil, err
		}
		unit := o.Unit
		if unit == "" && strings.HasSuffix(f.base(), ".pps") {
			unit = "frames/s"
		}
		out = append(out, Set{f.base(), cmp.Or(unit, weir.UnknownUnit), values})
	}
	note(&c, "the loss, the offered load and the frame size were not said")
	began(&c, nil)
	return c, out, nil
}

// Numbers are the numbers in a file: of each line the column given, from 1 (0:
// the first), the columns being divided by spaces and tabs. What follows a # and
// empty lines are left out, and so are lines with too few columns.
//
// The errors say in which line there is something else than a finite number,
// that there is no number at all, or that there are more than a million.
func Numbers(path string, column int) ([]float64, error) {
	return File{Path: path}.numbers(column)
}

func (f File) numbers(column int) ([]float64, error) {
	path := f.Path
	var out []float64
	column = max(column, 1)
	err := f.lines(func(n int, line string) error {
		word := field(line, column)
		if word == "" {
			return nil
		}
		v, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
			return fmt.Errorf("%s:%d: %q is no number: there has to be one number a line%s%s", path, n, shortened(word), inColumn(column), advice(word))
		case len(out) == mostNumbers:
			return fmt.Errorf("%s:%d: there are more than %d numbers: each is taken for a run, so take one of each run", path, n, mostNumbers)
		}
		out = append(out, v)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s holds no number%s", path, inColumn(column))
	}
	return out, err
}

func inColumn(column int) string {
	if column == 1 {
		return ""
	}
	return fmt.Sprintf(" in column %d", column)
}

// field is a column of a line; "" where there is none, or it is a remark.
func field(line string, column int) string {
	for i, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }) {
		if strings.HasPrefix(word, "#") {
			return ""
		}
		if i+1 == column {
			return word
		}
	}
	return ""
}

// advice is what to do about a word that is no number; "": who wrote it will see.
func advice(word string) string {
	if _, err := strconv.ParseFloat(strings.Map(func(r rune) rune {
		if strings.ContainsRune(",;'_", r) {
			return -1
		}
		return r
	}, word), 64); err == nil {
		return "; write it without separators, and with a point before its fraction"
	}
	return ""
}

// strange is what is wrong with a file of no known format, whose beginning was
// read: whoever names a file for a comparison mostly means one of numbers.
func (f File) strange() error {
	n := 0
	for line := range strings.Lines(string(f.Head)) {
		n++
		word := field(line, 1)
		if word == "" {
			continue
		}
		hint := advice(word)
		if hint == "" {
			hint = "; put a # before a line of words"
		}
		return fmt.Errorf("%s:%d: %q is no number, and no format that weir knows begins like this (%s): a file of numbers has one a line%s",
			f.Path, n, shortened(word), strings.Join(names(), ", "), hint)
	}
	if len(strings.TrimSpace(string(f.Head))) == 0 {
		return fmt.Errorf("%s is empty: a file of numbers has one a line", f.Path)
	}
	return fmt.Errorf("%s holds remarks alone, and no number: a file of numbers has one a line", f.Path)
}

// shortened is a word that fits a message.
func shortened(word string) string {
	if runes := []rune(word); len(runes) > 40 {
		return string(runes[:40]) + "..."
	}
	return word
}
