package figures

import (
	"math"
	"slices"

	"weir"
	"weir/internal/result"
)

// JSONResult is a result in JSON: every key is there, and no figure that is not finite.
type JSONResult struct {
	weir.Result
	Ledger jsonLedger  `json:"ledger"`
	Curve  []jsonPoint `json:"curve,omitempty"`

	LineShare float64 `json:"line_rate_share,omitempty"` // of the theoretical maximum of the link, where that is known

	Readings []resultReading `json:"readings,omitempty"` // where the DUT's machine had some
}

// jsonPoint is a weir.Point of which only that is there which is known: a load may
// have had no window that counts.
// Its loads come first.
type jsonPoint struct {
	Intended  float64  `json:"intended"`
	Offered   float64  `json:"offered"`
	Forwarded *float64 `json:"forwarded,omitempty"`
	weir.Point
	LossRatio *float64 `json:"loss_ratio,omitempty"`
	Loss      *float64 `json:"loss,omitempty"`
	Lower     *float64 `json:"lower,omitempty"`
	Upper     *float64 `json:"upper,omitempty"`
}

type jsonLedger struct {
	Offered     uint64            `json:"offered"`
	Received    uint64            `json:"received"`
	Drops       map[string]uint64 `json:"drops"` // by counter
	Unexplained int64             `json:"unexplained"`
}

// JSONOf is a result as JSON has it.
func JSONOf(r weir.Result) JSONResult {
	// JSON has no word for a figure that is not finite; 0 means unknown.
	figures := []*float64{&r.Value, &r.Lower, &r.Upper, &r.LossRatio, &r.ExceedRatio, &r.Width,
		&r.TrialSeconds, &r.SearchTime, &r.CPUPerFrame, &r.CPUShare, &r.MeanSize}
	r.Rates = slices.Clone(r.Rates)
	for i := range r.Rates {
		figures = append(figures, &r.Rates[i])
	}
	r.Figures = slices.Clone(r.Figures)
	for i := range r.Figures {
		figures = append(figures, &r.Figures[i].Value)
	}
	if r.Sweep != nil {
		sweep := *r.Sweep
		r.Sweep = &sweep
		for _, b := range []*weir.Bounds{&sweep.KneeZero, &sweep.Saturated, &sweep.WithStalls} {
			figures = append(figures, &b.Value, &b.Lower, &b.Upper)
		}
		i := &sweep.Interruptions
		figures = append(figures, &sweep.Conditional, &sweep.LeftOutShare, &i.PerSecond, &i.P50, &i.Max)
	}
	for _, v := range figures {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = 0
		}
	}
	if r.Warnings == nil {
		r.Warnings = []weir.Warning{}
	}
	if r.Factors == nil {
		r.Factors = weir.Factors{}
	}
	l := jsonLedger{Offered: r.Ledger.Offered, Received: r.Ledger.Received, Drops: make(map[string]uint64), Unexplained: r.Ledger.Unexplained}
	for _, d := range r.Ledger.Drops {
		l.Drops[d.Place] += d.Count
	}
	out := JSONResult{Result: r, Ledger: l, LineShare: result.LineShare(&r)}
	for _, p := range r.Curve {
		out.Curve = append(out.Curve, jsonPointOf(p))
	}
	return out
}

func jsonPointOf(p weir.Point) jsonPoint {
	out := jsonPoint{Intended: p.Intended, Offered: p.Offered, Point: p}
	if !counted(p) {
		return out
	}
	out.Forwarded, out.LossRatio = &p.Forwarded, &p.LossRatio
	if q := p.WindowPoint; q != nil {
		out.Loss, out.Lower, out.Upper = &q.Loss, &q.Lower, &q.Upper
	}
	return out
}
