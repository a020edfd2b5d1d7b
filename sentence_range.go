package weir

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Range is what sentences that are alike have at one place, from the least figure to the
// greatest. A verb prints it as it prints a figure, with commas between thousands.
type Range struct{ Low, High any } // float64 or time.Duration

// Ranges returns the figures of a sentence as ranges of one figure each, and its texts as they
// are: what its format is printed with.
func (s Sentence) Ranges() []any {
	out := make([]any, len(s.Args))
	for i, v := range s.Args {
		if _, isText := v.(string); !isText {
			v = Range{v, v}
		}
		out[i] = v
	}
	return out
}

// Widen returns the range with a figure in it.
func (r Range) Widen(v any) Range {
	if magnitude(v) < magnitude(r.Low) {
		r.Low = v
	}
	if magnitude(v) > magnitude(r.High) {
		r.High = v
	}
	return r
}

// magnitude returns the value of a figure, by which those of one place are ordered.
func magnitude(v any) float64 {
	if d, ok := v.(time.Duration); ok {
		return d.Seconds()
	}
	x, _ := v.(float64)
	return x
}

// Format prints the range for a verb: "3.1", "1,200 to 31,000".
func (r Range) Format(f fmt.State, verb rune) {
	low, high := formatFigure(f, verb, r.Low), formatFigure(f, verb, r.High)
	if low != high {
		low += " to " + high
	}
	fmt.Fprint(f, low)
}

// formatFigure returns one figure as a verb prints it.
func formatFigure(f fmt.State, verb rune, v any) string {
	x, isNumber := v.(float64)
	if isNumber && verb == 'd' {
		v = int64(x)
	}
	text := fmt.Sprintf(fmt.FormatString(f, verb), v)
	if !isNumber {
		return text
	}
	if strings.Contains(text, "e-") {
		return text
	}
	if strings.Contains(text, "e+") { // as many digits as the verb has, without a power of ten
		rounded, _ := strconv.ParseFloat(text, 64)
		sign := ""
		if strings.HasPrefix(text, "+") {
			sign = "+"
		}
		text = sign + strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return separateThousands(text)
}

// separateThousands returns a number with commas between thousands.
func separateThousands(number string) string {
	digits := strings.TrimLeft(number, "+- ")
	sign := number[:len(number)-len(digits)]
	whole, fraction, _ := strings.Cut(digits, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction
}
