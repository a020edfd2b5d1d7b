package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
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
			if word := field(line, 1); word != "" {
				_, _, err := withUnit(word, "")
				return err == nil
			}
		}
		return false
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c, sets, err := readSets(files, o)
		for _, s := range sets {
			for _, v := range s.Values {
				add(&c, s.Name, weir.Result{Claim: weir.PublishedAs(NumbersClaim), Value: v * s.Scale, Unit: s.Unit, Factors: weir.Factors{set: s.Name}})
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
	Scale  float64 // what a value of 1 is in that unit: 1e6 of Mbit/s
}

// Sets are the numbers of a file, or of the files of a folder that holds nothing
// else, without a result of each number, of which there may be a million. Text, where
// it is not nil, stands for a file, as with Given. The campaign says where they come
// from, and has no results. There are no sets where there is another format, or
// where a file of a folder cannot be read; the
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
	c, sets, err := readSets(groups[0].files, o)
	if err != nil && len(groups[0].files) > 1 || len(groups[0].left) > 0 {
		return weir.Campaign{}, nil, nil // Import names what cannot be read, and reads the others
	}
	return c, sets, err
}

// bareNetperf is a file of what netperf -P 0 prints of TCP: sizes of sockets and messages, seconds
// and the rate, without a word.
var bareNetperf = regexp.MustCompile(`^(?:[ \t]*\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+\.\d\d[ \t]+\d+\.\d\d[ \t]*\n+)+$`)

func (f File) isBareNetperf() bool {
	if f.peek() != nil {
		return false // which is told where it is read
	}
	head := append(f.Head, '\n')
	if len(f.Head) == headSize { // a line may be cut
		head = f.Head[:bytes.LastIndexByte(f.Head, '\n')+1]
	}
	return bareNetperf.Match(head)
}

func readSets(files []File, o Options) (weir.Campaign, []Set, error) {
	c := begin(numbersName, "a number of each run; what it counts was not said", files, o)
	var out []Set
	for _, f := range files {
		if o.Column <= 1 && f.isBareNetperf() {
			return weir.Campaign{}, nil, fmt.Errorf("%s looks like what netperf -P 0 prints, whose first column is the size of a socket: say which one counts (--column 5 is the rate, of 10^6bits/s), or let netperf print its banner, which has the unit", f.Path)
		}
		read, err := f.column(o.Column)
		if err != nil {
			return weir.Campaign{}, nil, err
		}
		s := Set{f.base(), cmp.Or(read.unit.name, o.Unit), read.values, read.unit.scale}
		if asked, known := unitOf(o.Unit); o.Unit != "" && read.unit.name != "" && (!known || asked.name != read.unit.name) {
			return weir.Campaign{}, nil, fmt.Errorf("%s has numbers of %s, and --unit says %s: leave that out, as the file says its unit itself", f.Path, shortened(read.unit.written), shortened(o.Unit))
		}
		if s.Unit == "" && strings.HasSuffix(f.base(), ".pps") {
			s.Unit = "frames/s"
		}
		s.Unit = cmp.Or(s.Unit, weir.UnknownUnit)
		if read.turned > 0 {
			note(&c, "%s has %d numbers in another unit than %s; they were turned into it", s.Name, read.turned, read.unit.written)
		}
		out = append(out, s)
	}
	out = withoutSummaries(&c, files, out)
	note(&c, "the loss, the offered load and the frame size were not said")
	began(&c, nil)
	return c, out, nil
}

// withoutSummaries leaves sets out that are the summary of another one of their folder:
// each of their lines has the median, the minimum and the maximum of one, in any order.
func withoutSummaries(c *weir.Campaign, files []File, sets []Set) []Set {
	type three [3]float64 // ascending
	of := map[three]string{}
	for _, s := range sets {
		if len(s.Values) >= 3 {
			sorted := slices.Sorted(slices.Values(s.Values))
			of[three{sorted[0], median(s.Values), sorted[len(sorted)-1]}] = s.Name
		}
	}
	var out []Set
	for i, s := range sets {
		summary := ""
		if files[i].inFolder {
			summary = files[i].summaryOf(func(numbers []float64) string {
				for at := 0; at+3 <= len(numbers); at++ { // an index may go before them
					n := slices.Sorted(slices.Values(numbers[at : at+3]))
					if name := of[three(n)]; name != "" && name != s.Name {
						return name
					}
				}
				return ""
			})
		}
		if summary != "" {
			note(c, "%s is the summary of %s, and no run", s.Name, summary)
			continue
		}
		out = append(out, s)
	}
	return out
}

// summaryOf is what the last line of a file sums up, as the function says by the numbers of
// a line; "" where a line sums up nothing.
func (f File) summaryOf(of func([]float64) string) (name string) {
	err := f.lines(func(_ int, line string) error {
		var numbers []float64
		for column := 1; column <= 8; column++ {
			if v, err := strconv.ParseFloat(field(line, column), 64); err == nil {
				numbers = append(numbers, v)
			}
		}
		if len(numbers) == 0 {
			return nil
		}
		if name = of(numbers); name == "" {
			return errNoSummary
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return name
}

var errNoSummary = errors.New("no summary")

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
	read, err := f.column(column)
	return read.values, err
}

// A column is what a file of numbers holds, all in the unit of the first one.
type column struct {
	values []float64
	unit   unit
	turned int // how many were in another unit
}

// column reads one.
func (f File) column(at int) (column, error) {
	path, out, first := f.Path, column{unit: unit{scale: 1}}, 0
	at = max(at, 1)
	err := f.lines(func(n int, line string) error {
		word := field(line, at)
		if word == "" {
			return nil
		}
		v, u, err := withUnit(word, field(line, at+1))
		switch {
		case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
			return fmt.Errorf("%s:%d: %q is no number: there has to be one number a line%s%s", path, n, shortened(word), inColumn(at), advice(word))
		case len(out.values) == mostNumbers:
			return fmt.Errorf("%s:%d: there are more than %d numbers: each is taken for a run, so take one of each run", path, n, mostNumbers)
		case first == 0:
			first, out.unit = n, u
		case u.name != out.unit.name:
			return fmt.Errorf("%s:%d: %s, and %s in line %d: the numbers of a file have one unit", path, n, u.said(), out.unit.said(), first)
		case u.scale != out.unit.scale:
			v *= u.scale / out.unit.scale
			out.turned++
		}
		out.values = append(out.values, v)
		return nil
	})
	if err == nil && len(out.values) == 0 {
		err = fmt.Errorf("%s holds no number%s", path, inColumn(at))
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

// shortened is a word that fits a message.
func shortened(word string) string {
	if runes := []rune(word); len(runes) > 40 {
		return string(runes[:40]) + "..."
	}
	return word
}
