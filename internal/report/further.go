package report

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"weir"
)

// A finding is a result that has no column of its own in the main table: a
// burst, a time, a curve, a verdict.
type finding struct {
	Label   string // its levels
	Heading string
	Value   string // with its unit
	Range   string // "1,200 to 1,310 frames", or ""
	Verdict string
	Claim   string // "[3]"
	Figures []named
}

// A named figure, with its unit.
type named struct{ Name, Value string }

// furtherOf are the findings of a campaign, in the order of measuring within
// each row.
func furtherOf(g grid) []finding {
	var out []finding
	list := claims(g)
	for _, w := range g.Rows {
		for _, r := range w.further() {
			f := finding{Label: w.Label, Heading: sought(*r), Value: quantity(r.Value, r.Unit), Verdict: r.Verdict,
				Claim: fmt.Sprintf("[%d]", claimIndex(list, r.Claim)+1)}
			if r.Lower != r.Upper {
				f.Range = quantity(r.Lower, r.Unit) + " to " + quantity(r.Upper, r.Unit)
			}
			if len(r.Warnings) > 0 {
				f.Claim += " !"
			}
			if r.Irregular {
				f.Verdict = strings.TrimPrefix(f.Verdict+", irregular", ", ")
			}
			for _, v := range r.Figures {
				f.Figures = append(f.Figures, named{v.Name, quantity(v.Value, v.Unit)})
			}
			out = append(out, f)
		}
	}
	return out
}

// quantity is a value with its unit, scaled for people.
func quantity(v float64, unit string) string {
	switch unit {
	case "frames/s":
		return kpps(v) + " kpps"
	case "s":
		return seconds(v)
	case "": // a ratio
		if a := max(v, -v); a > 0 && a < .001 {
			return strconv.FormatFloat(v, 'e', 1, 64)
		}
		return significant(v)
	}
	return significantOrWhole(v) + " " + unit
}

// seconds is a time with the unit that suits it.
func seconds(v float64) string {
	switch a := max(v, -v); {
	case a == 0:
		return "0 s"
	case a < 1e-3:
		return micros(v) + " us"
	case a < 1:
		return significant(v*1e3) + " ms"
	}
	return significant(v) + " s"
}

// significantOrWhole has decimals only where they are needed.
func significantOrWhole(v float64) string {
	if v == float64(int64(v)) {
		return number(v, 0)
	}
	return significant(v)
}

// sentence is the finding without its bounds.
func (f finding) sentence() string {
	s := fmt.Sprintf("%s with frames of %s is %s", f.Heading, f.Label, f.Value)
	if f.Verdict != "" {
		s += ", " + f.Verdict
	}
	return s
}

// heading is what the finding is about, in one line.
func (f finding) heading() string {
	s := fmt.Sprintf("%s %s: %s", f.Label, f.Heading, f.Value)
	if f.Verdict != "" {
		s += ", " + f.Verdict
	}
	if f.Range != "" {
		s += " (" + f.Range + ")"
	}
	return s + " " + f.Claim
}

// textFurther writes the findings as a list, with their figures below.
func textFurther(b *bytes.Buffer, list []finding) {
	if len(list) == 0 {
		return
	}
	b.WriteString("further results\n")
	for _, f := range list {
		item(b, "", f.heading())
		var parts []string
		for _, v := range f.Figures {
			parts = append(parts, v.Name+" "+v.Value)
		}
		if len(parts) > 0 {
			item(b, "    ", strings.Join(parts, "; "))
		}
	}
}

// curves are the results that have a curve, of one method.
func curves(g grid, method string) (out []*weir.Result, labels []string) {
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if r.Method == method && len(r.Curve) > 0 {
				out, labels = append(out, r), append(labels, w.Label)
			}
		}
	}
	return out, labels
}
