package samples

import (
	"weir"
)

// Overload is what examples/overload.yaml finds: an overload at each of
// three levels, in windows.
func Overload() weir.Campaign {
	c := Campaign()
	c.ID, c.Name, c.Results, c.Trials = "20261122-1107-31c9", "overload", nil, nil
	for i, mode := range []string{"softirq", "threaded", "busy-poll"} {
		c.Results = append(c.Results, OverloadOf(mode, 8e5-5e4*float64(i)))
	}
	return c
}

// OverloadOf is an overload with one way of taking frames.
func OverloadOf(mode string, mlfrr float64) weir.Result {
	r := weir.Result{Method: "overload", Claim: weir.Claim{Name: "overload, windows"}, Factors: weir.Factors{"frame_size": 64, "napi": mode},
		Value: mlfrr, Lower: .98 * mlfrr, Upper: 1.02 * mlfrr, ExceedRatio: .5, Unit: "frames/s", Verdict: "degrading", Trials: 12, TrialSeconds: .005, SearchTime: 8,
		Figures: []weir.Figure{{Name: "knee at loss 0.5 %", Value: 1.01 * mlfrr, Unit: "frames/s"}, {Name: "MFR", Value: 1.03 * mlfrr, Unit: "frames/s"},
			{Name: "FRMOL", Value: .6 * mlfrr, Unit: "frames/s"}, {Name: "index FRMOL/MFR", Value: .58}},
		Sweep: &weir.Sweep{KneeZero: weir.Bounds{Value: mlfrr, Lower: .98 * mlfrr, Upper: 1.02 * mlfrr},
			Saturated:  weir.Bounds{Value: .62 * mlfrr, Lower: .6 * mlfrr, Upper: .64 * mlfrr},
			WithStalls: weir.Bounds{Value: mlfrr}, Windows: 720, Rounds: 3}}
	for i := 1; i <= 4; i++ {
		load := .6 * mlfrr * float64(i)
		lost := max(0, 1-mlfrr/load)
		r.Curve = append(r.Curve, weir.Point{Trial: i, Branch: "up", Intended: load, Offered: load, Forwarded: load * (1 - lost), LossRatio: lost,
			WindowPoint: &weir.WindowPoint{Load: load, Loss: lost, Lower: .9 * lost, Upper: min(1, 1.1*lost), Windows: 9}})
	}
	return r
}
