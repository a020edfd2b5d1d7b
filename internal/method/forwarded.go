package method

import (
	"maps"
	"slices"

	"weir"
)

// forwardedBy is the highest rate in frames/s that a result shows the DUT to forward,
// with the load that was offered then; 0 where it shows none.
func forwardedBy(r weir.Result) (rate, load float64) {
	if r.Unit != "frames/s" || r.Unmeasured != "" {
		return 0, 0
	}
	passed := 1 - min(max(r.LossRatio, 0), 1)
	switch r.Method {
	case frmolName, saturatedName:
		if passed > 0 {
			rate, load = r.Value, r.Value/passed
		}
	case throughputName, sweepName:
		rate, load = r.Value*passed, r.Value
	case mlrName:
		rate, load = r.Value, r.Lower
	}
	for _, p := range r.Curve {
		if p.Forwarded > rate {
			rate, load = p.Forwarded, p.Offered
		}
	}
	return rate, load
}

// raised is a maximum forwarding rate that is no lower than what other results at the
// same levels show to be forwarded: of all loads that were tried it is the highest.
func raised(r weir.Result, others []weir.Result) weir.Result {
	if r.Value == 0 {
		return r
	}
	by := ""
	best, at := r.Value*(1+1e-9), 0.
	for _, o := range others {
		if rate, load := forwardedBy(o); rate > best && o.Method != mfrName {
			best, at, by = rate, load, o.Method
		}
	}
	if by == "" {
		return r
	}
	r.Warnings = slices.Clone(r.Warnings)
	warn(&r, weir.NoisyResult, "%s saw %.0f frames/s forwarded of %.0f, more than any load of this method (%.0f at most): the machine, or the DUT, changed meanwhile", by, best, at, r.Value)
	r.Value, r.Lower, r.Upper = best, best, best
	r.LossRatio = max(0, 1-best/at)
	r.Figures = slices.Clone(r.Figures)
	for i := range r.Figures {
		if r.Figures[i].Name == weir.OfferedLoad {
			r.Figures[i].Value = at
		}
	}
	// They are those of another load.
	r.Ledger, r.Latency, r.RoundTrip, r.CPUPerFrame, r.CPUShare = weir.Ledger{}, nil, nil, 0, 0
	return r
}

// Raise has the maximum forwarding rates among the results of a campaign no lower than
// what was measured after them at the same levels.
func Raise(results []weir.Result) []weir.Result {
	if !slices.ContainsFunc(results, func(r weir.Result) bool { return r.Method == mfrName }) {
		return results
	}
	out := slices.Clone(results)
	for i, r := range out {
		if r.Method != mfrName {
			continue
		}
		var others []weir.Result
		for _, o := range results {
			if o.Run == r.Run && maps.Equal(o.Factors, r.Factors) {
				others = append(others, o)
			}
		}
		out[i] = raised(r, others)
	}
	return out
}
