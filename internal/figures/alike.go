package figures

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An amount is a number or a duration in a text.
type amount struct {
	Text  string // as it is shown: "237,418", "5.164ms"
	Value float64
}

// A wording is a text with its amounts, which tells texts that say the same of
// other numbers from those that say something else.
type wording struct {
	Words   []string // of the text, with thousands separated
	At      []int    // the words that hold amounts
	Amounts []amount
}

// ordinals come before numbers that are names, such as that of a section.
var ordinals = map[string]bool{
	"RFC": true, "section": true, "CPU": true, "CPUs": true, "port": true, "trial": true, "VLAN": true, "AS": true, "Linux": true, "exit": true, "status": true,
}

// WordingOf takes a text apart at its numbers.
func WordingOf(text string) wording {
	var w wording
	for i, word := range strings.Fields(text) {
		if open, a, end, ok := amountIn(word); ok && (i == 0 || !ordinals[w.Words[i-1]]) {
			w.At, w.Amounts = append(w.At, i), append(w.Amounts, a)
			word = open + a.Text + end
		}
		w.Words = append(w.Words, word)
	}
	return w
}

// amountIn takes a word apart: what stands before an amount and after it.
func amountIn(word string) (open string, a amount, end string, ok bool) {
	body := strings.TrimLeft(word, "(")
	core := strings.TrimRight(body, ".,;:)%")
	open, end = word[:len(word)-len(body)], body[len(core):]
	if core == "" || core[0] < '0' || core[0] > '9' {
		return "", amount{}, "", false
	}
	digits := strings.ReplaceAll(core, ",", "")
	if v, err := strconv.ParseFloat(digits, 64); err == nil && strings.Trim(digits, "0123456789.e+") == "" {
		return open, amount{separated(digits, v), v}, end, true
	}
	if d, err := time.ParseDuration(core); err == nil {
		return open, amount{core, d.Seconds()}, end, true
	}
	return "", amount{}, "", false
}

// separated is a number as it was written, with commas between thousands.
func separated(digits string, v float64) string {
	if strings.Contains(digits, "e") {
		return Number(v, 0)
	}
	_, fraction, _ := strings.Cut(digits, ".")
	return Number(v, len(fraction))
}

// String is the text, with commas between thousands.
func (w wording) String() string { return strings.Join(w.Words, " ") }

// shape is the text without its amounts.
func (w wording) shape() string {
	words := append([]string(nil), w.Words...)
	for i, at := range w.At {
		kind := "#"
		if _, err := strconv.ParseFloat(strings.ReplaceAll(w.Amounts[i].Text, ",", ""), 64); err != nil {
			kind = "#s"
		}
		words[at] = strings.Replace(words[at], w.Amounts[i].Text, kind, 1)
	}
	return strings.Join(words, " ")
}

// A between is what texts alike have at one place.
type between struct{ low, high amount }

func (b *between) widen(a amount) {
	if a.Value < b.low.Value {
		b.low = a
	}
	if a.Value > b.high.Value {
		b.high = a
	}
}

func (b between) String() string {
	if b.low.Text == b.high.Text {
		return b.low.Text
	}
	return b.low.Text + " to " + b.high.Text
}

// joined is one text for several alike. Where they differ in one number it has
// the range of it; where in more, it is the first one, with the ranges of all
// behind it, as numbers of one text belong together.
func joined(first wording, more int, ranges []between) string {
	var differ []int
	for i, r := range ranges {
		if r.low.Text != r.high.Text {
			differ = append(differ, i)
		}
	}
	switch len(differ) {
	case 0:
		return first.String()
	case 1:
		i := differ[0]
		words := append([]string(nil), first.Words...)
		words[first.At[i]] = strings.Replace(words[first.At[i]], first.Amounts[i].Text, ranges[i].String(), 1)
		return strings.Join(words, " ")
	}
	var all []string
	for _, i := range differ {
		if r := ranges[i]; more > 1 {
			all = append(all, r.String())
		} else if r.low.Text != first.Amounts[i].Text {
			all = append(all, r.low.Text)
		} else {
			all = append(all, r.high.Text)
		}
	}
	if more == 1 {
		return fmt.Sprintf("%s (and 1 more alike, with %s)", first, Enumerated(all))
	}
	return fmt.Sprintf("%s (and %d more alike; in all of them the numbers are %s)", first, more, Enumerated(all))
}
