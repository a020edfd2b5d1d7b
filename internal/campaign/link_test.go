package campaign

import (
	"context"
	"fmt"
	"math"
	"testing"

	"weir"
	"weir/frame"
)

// The maximum load and the steps down from it are those of the link: of frames of 64
// octets 1/672 of its bit/s, of 1,518 octets 1/12,304 (RFC 2544 sections 20 and 26.3).
func TestLoadsOfTheLink(t *testing.T) {
	for _, link := range []struct {
		text string
		bits float64
	}{{"1G", 1e9}, {"2.5G", 2.5e9}, {"5G", 5e9}, {"10G", 10e9}, {"25G", 25e9}, {"40G", 40e9}, {"100G", 100e9}} {
		p := parsed(t, fmt.Sprintf("testbed: {kind: sim, link: %s}\ntraffic: {sizes: [64, 1518]}\nmethods: [frmol, {method: loss-rate, step: 10%%}]\n", link.text))
		lab := Lab{LinkRate: p.Testbed.Link, Measure: func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := wire(ctx, trial)
			if top := frame.LineRate(link.bits, trial.Traffic.MeanSize()); trial.Intended > .55*top {
				r.Received /= 2
				r.Ledger = weir.Balance(r.Offered, r.Received, nil)
			}
			return r, err
		}}
		c, err := Run(t.Context(), p, lab, &memory{}, nil)
		if err != nil {
			t.Fatalf("%s: %v", link.text, err)
		}
		loads := map[string][]float64{}
		for _, r := range c.Trials {
			key := r.Trial.Purpose + " " + r.Trial.Traffic.Name
			loads[key] = append(loads[key], r.Trial.Intended)
		}
		for size, bits := range map[string]float64{"64": 672, "1518": 12_304} {
			top := link.bits / bits
			for method, shares := range map[string][]float64{"frmol": {1}, "loss-rate": {1, .9, .8, .7, .6, .5, .4}} {
				got := loads[method+" "+size]
				ok := len(got) >= len(shares)
				for i := range shares {
					ok = ok && math.Abs(got[i]/(shares[i]*top)-1) < 1e-9
				}
				if !ok {
					t.Errorf("%s, %s octets: %s sends %.0f, want the shares %v of %.0f", link.text, size, method, got, shares, top)
				}
			}
		}
	}
}
