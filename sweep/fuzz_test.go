package sweep

import (
	"math"
	"testing"
	"time"

	"weir"
)

// Whatever comes back: a sweep ends, and soon; its passes are trials that can be
// sent; intervals are ordered, and numbers finite.
func FuzzSweep(f *testing.F) {
	f.Add(uint64(1), 1e6, uint16(256), uint16(6000), []byte{0, 10, 200, 255, 3})
	f.Add(uint64(2), 2e7, uint16(0), uint16(100), []byte{255, 255, 0})
	f.Add(uint64(3), 1500., uint16(9), uint16(1), []byte{7})
	f.Add(uint64(4), 1., uint16(0), uint16(500), []byte{0, 128, 128, 128})
	f.Fuzz(func(t *testing.T, seed uint64, maximum float64, buffer, within uint16, noise []byte) {
		g := Goal{Seed: seed, Maximum: maximum, Buffer: int(buffer), Within: time.Duration(within) * time.Millisecond, Rounds: int(seed % 5), Ports: int(seed % 3)}
		if g.Validate() != nil || len(noise) == 0 {
			return
		}
		at := 0
		next := func() uint64 {
			at++
			return uint64(noise[at%len(noise)])
		}
		var past []Pass
		for p, ok := g.Next(past); ok; p, ok = g.Next(past) {
			if len(past) > 30 {
				t.Fatal("no end after 30 passes")
			}
			trial := weir.Trial{Windows: p.Windows, Traffic: weir.Traffic{}}
			if err := trial.CheckWindows(); err != nil {
				t.Fatalf("pass %d: %v", len(past), err)
			}
			for _, w := range p.Windows {
				if w.Intended > g.Maximum*(1+1e-9) {
					t.Fatalf("%v frames/s are more than %v", w.Intended, g.Maximum)
				}
				r := weir.WindowResult{Sent: uint64(w.Intended * w.Duration.Seconds()), LostRun: next() * 3, Delay: time.Duration(next()) * time.Millisecond / 8}
				r.Received = r.Sent * next() / 255
				if next() == 9 {
					r.GeneratorGap = time.Second
				}
				if w.Prime != nil {
					r.PrimeSent = uint64(w.Prime.Intended * w.Prime.Duration.Seconds())
					r.PrimeReceived = r.PrimeSent * next() / 255
				}
				p.Results = append(p.Results, r)
			}
			if next() == 5 {
				p.Results = p.Results[:len(p.Results)/2]
			}
			p.Start = time.Duration(int64(next())-20) * time.Second
			past = append(past, p)
		}
		for n := range past {
			check(t, g, g.Estimate(past[:n+1]))
		}
	})
}

func check(t *testing.T, g Goal, e Estimate) {
	t.Helper()
	for _, i := range []Interval{e.Knee, e.KneeZero, e.Saturated, e.KneeDisturbed, e.ZeroDisturbed, e.SaturatedDisturbed} {
		if !(0 <= i.Lower && i.Lower <= i.LowerThen && i.LowerThen <= i.Value && i.Value <= i.UpperThen && i.UpperThen <= i.Upper) || math.IsInf(i.Upper, 0) {
			t.Fatalf("an interval out of order: %+v", i)
		}
	}
	for _, v := range []float64{e.Conditional, e.MLFRR, e.MLFRRUndisturbed, e.MFR, e.FRMOL, e.Ratio, e.Index, e.Buffer, e.Primed, e.LeftOutShare} {
		if !(v >= 0) || math.IsInf(v, 0) {
			t.Fatalf("a number that is none: %+v", e)
		}
	}
	if e.LeftOutShare > 1 || e.Primed > 1 || e.Limited == ByOutside && e.Knee.Value > 0 {
		t.Fatalf("out of range: %+v", e)
	}
	last, most := 0., g.Maximum*(1+1e-9)
	if len(e.Speeds) > 0 {
		most *= normalHigh // in terms of the headline's speed
	}
	for _, p := range e.Curve {
		if p.Load <= last || p.Load > most || !(0 <= p.Lower && p.Lower <= p.Loss && p.Loss <= p.Upper && p.Upper <= 1) {
			t.Fatalf("a point out of order: %+v", p)
		}
		last = p.Load
	}
}
