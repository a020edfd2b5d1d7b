// Package result is what the results of a campaign amount to: which figures each has, in one
// table of metrics, and how far one can be trusted. Reports walk that table in every format.
//
// The package prints nothing, and knows no format.
package result

import (
	"math"
	"slices"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/warning"
)

// Swept reports whether a result is that of a sweep over windows.
func Swept(r *weir.Result) bool { return InWindows(r) && method.KindOf(r.Method) == method.Knee }

// InWindows reports whether a result comes from windows: a sweep's, or that of an
// overload, whose value is no knee.
func InWindows(r *weir.Result) bool { return r != nil && r.Sweep != nil }

// Unknown reports whether a search was cut short before it had found anything,
// or could not begin, or nothing could be measured: its 0 is no figure.
func Unknown(r *weir.Result) bool {
	none := method.KindOf(r.Method) == method.Overfull && !weir.HasWarning(r.Warnings, weir.NothingForwarded) || InWindows(r) ||
		r.Verdict == claim.NotEnded || r.Verdict == claim.AnyLoad || r.Claim.Name == claim.NoOffer
	return r.Unmeasured != "" || r.Value == 0 && none
}

// AtLeast reports whether the DUT may do more than the result says: its search
// was cut short, or ended at the edge of its range, which the tester, the
// medium or the plan had set.
func AtLeast(r *weir.Result) bool {
	return method.AtLeast(r) || r.Verdict == claim.NotEnded && r.Value > 0 && (r.Unit == "frames/s" || r.Unit == "frames")
}

// Early reports whether a sweep has a knee and no interval of it: it was cut short
// before its second round, or was so disturbed that only one has a knee.
func Early(r *weir.Result) bool {
	return Swept(r) && r.Value > 0 && r.Lower == 0 && r.Upper == 0 && !AtLeast(r)
}

// Margin returns the larger distance of a bound, relative; 0: there is none.
func Margin(b weir.Bounds) float64 {
	if b.Value == 0 || b.Lower >= b.Upper {
		return 0
	}
	return max(b.Upper-b.Value, b.Value-b.Lower) / b.Value
}

// IsWide reports whether the bounds of a rate are so far from it that it is hardly a number.
func IsWide(b weir.Bounds) bool { return Margin(b) > .5 }

// Vague reports that of the knee of a sweep.
func Vague(r *weir.Result) bool {
	return IsWide(weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper})
}

// marked returns the warnings of a result that mark columns of the table of sweeps.
func marked(r *weir.Result, cells warning.Cells) (out []weir.WarningCode) {
	for _, w := range r.Warnings {
		if warning.Of(w.Code).Marks&cells != 0 {
			out = append(out, w.Code)
		}
	}
	return out
}

// Marks returns the warnings of a result that mark any column of the table of sweeps.
func Marks(r *weir.Result) []weir.WarningCode {
	return marked(r, warning.Knee|warning.Saturated|warning.AtHalf)
}

// stalling reports whether the windows with a stall of the DUT move its knee.
func stalling(r *weir.Result) bool {
	const much = .03
	return r.Value > 0 && r.WithStalls.Value > 0 && math.Abs(r.WithStalls.Value/r.Value-1) > much
}

// KneeDoubtful reports whether warnings speak against the load at which frames begin to be lost.
// That it is only a lower bound has a sign of its own.
func KneeDoubtful(r *weir.Result) bool {
	return Swept(r) && (Vague(r) || weir.HasWarning(r.Warnings, weir.NoisyResult) && stalling(r) ||
		slices.ContainsFunc(marked(r, warning.Knee), func(c weir.WarningCode) bool { return c != weir.SearchLimit || !AtLeast(r) }))
}

// ZeroDoubtful reports whether something speaks against the knee at no loss.
func ZeroDoubtful(r *weir.Result) bool { return KneeDoubtful(r) || Contradicted(r) }

// Contradicted reports whether more is forwarded without loss than with some.
func Contradicted(r *weir.Result) bool {
	return Swept(r) && r.Value > 0 && !AtLeast(r) && r.KneeZero.Value > r.Value*(1+1e-9)
}

// SaturatedDoubtful reports whether warnings speak against the rate of an overload: what is
// forwarded still grew with the load.
func SaturatedDoubtful(r *weir.Result) bool {
	all := marked(r, warning.Saturated)
	if i := slices.Index(all, weir.NoisyResult); i >= 0 && stalling(r) {
		all = slices.Delete(all, i, i+1) // this one is of the knee
	}
	return len(all) > 0
}

// AtHalfDoubtful reports whether warnings speak against what the trials at half of the knee show.
func AtHalfDoubtful(r *weir.Result) bool { return len(marked(r, warning.AtHalf)) > 0 }

// Doubtful reports whether warnings speak against any figure of a result; of one from windows,
// against a column of the table of sweeps.
func Doubtful(r *weir.Result) bool {
	if InWindows(r) {
		return !Unknown(r) && (ZeroDoubtful(r) || SaturatedDoubtful(r) || AtHalfDoubtful(r))
	}
	return slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool { return warning.Of(w.Code).Does != warning.Informs })
}

// LineShare returns what a rate is of the theoretical maximum of its link (RFC 2544 section
// 20), over all sending ports; 0 where it is no rate, or no link is known.
func LineShare(r *weir.Result) float64 {
	if r == nil || r.Unit != "frames/s" || r.Unmeasured != "" || method.KindOf(r.Method) == method.Ceiling || InWindows(r) && Unknown(r) {
		return 0
	}
	if line, known := r.Figure(claim.TheoreticalMaximum); known && line > 0 {
		return r.Value / line
	}
	return 0
}
