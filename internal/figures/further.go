package figures

import (
	"fmt"
	"strings"

	"weir"
	"weir/internal/claim"
	"weir/internal/document"
	"weir/internal/method"
	"weir/internal/result"
)

// A Finding is a result that has no column of its own in the main table: a
// burst, a time, a curve, a verdict.
type Finding struct {
	Result  *weir.Result
	Label   string // its levels
	Heading string
	Meaning string // of the value, where the heading does not say it
	Load    string // at which it was measured, where that is a share of a rate: "591.0 kpps, 50 % of the throughput"
	Value   string // with its unit
	Range   string // "1,200 to 1,310 frames", or ""
	Verdict string
	Claim   string // "[3]"
	Figures []named
	Points  document.Table // its curve
	Spans   document.Table // of loss
	Longest string         // what the spans are: "spans of loss", "the longest 20 of 34 spans of loss"
}

// A named figure, with its unit.
type named struct{ Name, Value string }

// FurtherOf are the findings of a campaign, in the order of measuring within
// each row. Sweeps, which have a table, are there where their curves are wanted.
func FurtherOf(c weir.Campaign, g Grid, curves bool) []Finding {
	var out []Finding
	list := Claims(g)
	for _, w := range g.Rows {
		for _, r := range w.further(curves) {
			f := Finding{Result: r, Label: w.Label, Heading: Sought(*r), Meaning: method.MeaningOf(r.Method), Value: Value(r), Verdict: r.Verdict,
				Claim: fmt.Sprintf("[%d]", claimIndex(list, r.Claim)+1), Points: PointsOf(r)}
			if g.Imported {
				f.Claim = ""
			}
			if result.Unknown(r) {
				f.Value = Missing
			}
			switch {
			case Kind(r) == method.Goals:
				f.Range = conditionalLoads(r)
			case r.Lower != r.Upper:
				f.Range = interval(r.Lower, r.Upper, r.Unit)
			}
			if l := loadOf(c, r); l.Rate > 0 && !loaded(r) {
				f.Load = l.String()
			}
			if len(r.Warnings) > 0 {
				f.Claim += " !"
			}
			if r.Irregular {
				f.Verdict = strings.TrimPrefix(f.Verdict+", irregular", ", ")
			}
			f.Figures = otherFigures(c, r)
			if spans, more := spansOf(selectTimelines(c, r)); len(spans) > 0 {
				f.Spans, f.Longest = document.TableOf(spanColumns, spans), Plural(len(spans), "span")+" of loss"
				if more > 0 {
					f.Longest = fmt.Sprintf("the longest %d of %s spans of loss", len(spans), Number(float64(len(spans)+more), 0))
				}
			}
			out = append(out, f)
		}
	}
	return out
}

// conditionalLoads names the loads of a conditional throughput, which is a rate that was
// forwarded, and may lie below both.
func conditionalLoads(r *weir.Result) string {
	var parts []string
	if r.Lower > 0 {
		parts = append(parts, "forwarded at a load of "+Quantity(r.Lower, r.Unit))
	}
	if r.Upper > r.Lower {
		parts = append(parts, "a load of "+Quantity(r.Upper, r.Unit)+" missed the goal")
	}
	return strings.Join(parts, "; ")
}

// otherFigures returns the figures of a result. Of a rate or a latency that the
// main table has no room for they tell it from the one that is there.
func otherFigures(c weir.Campaign, r *weir.Result) []named {
	var out []named
	if Kind(r) == method.Rate {
		out = append(out, named{"trials", plain(r.TrialSeconds) + " s"}, named{"width", Percent(r.Width) + " %"})
		if r.ExceedRatio > 0 {
			out = append(out, named{"trials that may exceed the loss", Percent(r.ExceedRatio) + " %"})
		}
	}
	for _, m := range result.Kept(result.History) {
		v, known := m.Of(r)
		switch {
		case !known || m.Unit != "s":
		case m.Group == result.Clocks:
			out = append(out, named{m.Heading(), seconds(v.Value)})
		case Kind(r) == method.Delay: // which the heading says
			out = append(out, named{m.Part, seconds(v.Value)})
		}
	}
	for _, v := range r.Figures {
		out = append(out, named{v.Name, figureQuantity(v)})
	}
	if r.Basis != nil && r.Basis.Unfit != "" {
		out = append(out, named{"the rate that the load is a share of is no throughput:", r.Basis.Unfit})
	}
	return out
}

// tenths is a share in percent, to a tenth.
func tenths(v float64) string { return Number(v*100, 1) }

// loaded reports whether a result has its load as a figure.
func loaded(r *weir.Result) bool {
	_, known := r.Figure(claim.Load)
	return known
}

// percentages are the figures without a unit that are read in percent, and how. All
// others without one are numbers of things, ratios and indices.
var percentages = map[string]func(float64) string{
	claim.CPUOfSource: tenths, claim.CPUOfDestination: tenths,
	claim.Efficiency: tenths, claim.BufferDelay: tenths, // RFC 6349 has these two in percent
	claim.LoadStep: Percent, claim.LossAtMaximum: Percent, claim.StreamLoss: Percent,
}

// figureQuantity is a figure with its unit.
func figureQuantity(f weir.Figure) string {
	percent, share := percentages[f.Name]
	switch {
	case f.Unit != "" && f.Unit != "s" && strings.Contains(f.Name, f.Unit):
		return significantOrWhole(f.Value)
	case f.Unit != "":
		return Quantity(f.Value, f.Unit)
	case share:
		return percent(f.Value) + " %"
	}
	return significantOrWhole(f.Value)
}

// Found is the value of a result with its unit as every text has it: "at least" where
// there may be more, and a sign where none is known.
func Found(r *weir.Result) string {
	if result.Unknown(r) {
		return Missing
	}
	return least(r) + Value(r)
}

// Value is the value of a result with its unit.
func Value(r *weir.Result) string {
	if result.OfTransfer(r) {
		return transferQuantity(r)
	}
	return Quantity(r.Value, r.Unit)
}

// seconds is a time with the unit that suits it.
func seconds(v float64) string {
	switch a := max(v, -v); {
	case a == 0:
		return "0 s"
	case a < 1e-3:
		return Micros(v) + " us"
	case a < 1:
		return Significant(v*1e3) + " ms"
	}
	return Significant(v) + " s"
}

// significantOrWhole has decimals only where they are needed.
func significantOrWhole(v float64) string {
	if v == float64(int64(v)) {
		return Number(v, 0)
	}
	return Significant(v)
}

// heading is what the finding is about, in one line.
func (f Finding) heading() string {
	s := fmt.Sprintf("%s %s", f.Label, f.Heading)
	if f.Meaning != "" {
		s += ", " + f.Meaning
	}
	if f.Load != "" {
		s += ", at " + f.Load
	}
	s += ": " + f.Value
	if f.Verdict != "" {
		s += ", " + f.Verdict
	}
	if f.Range != "" {
		s += " (" + f.Range + ")"
	}
	return s + " " + f.Claim
}

// Curves are the results that have a curve, of one kind.
func Curves(g Grid, of method.Kind) (out []*weir.Result, labels []string) {
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if Kind(r) == of && len(r.Curve) > 0 {
				out, labels = append(out, r), append(labels, w.Label)
			}
		}
	}
	return out, labels
}
