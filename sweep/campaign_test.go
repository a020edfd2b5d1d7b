package sweep

import (
	"math"
	"slices"
	"time"

	"weir"
)

// scenario is a sweep of a router, many times over.
type scenario struct {
	name  string
	goal  func(*Goal)
	dut   func(*router)
	aim   func(weir.Window) weir.Window // what is sent in place of what was asked
	pause float64                       // s between passes, in which the wave goes on
}

// score is how sweeps compare with the truth. Errors are relative, root mean
// squares.
type score struct {
	n, numbers          int
	explained           int     // without a number, and it is said what limited them
	knee, zero, rate    float64 // against the time of the windows
	bias, rateBias      float64 // of the knee and the saturated rate
	long                float64 // of the knee against the long run
	disturbed           float64 // error of the knee with interrupted windows
	held, zeroHeld      float64 // share of outer intervals that hold the long run
	rateHeld, heldThen  float64 // the same; of inner ones that hold the time of the windows
	costs, unsat, sinks float64 // share of sweeps with that flag
	graceful            float64 // with that verdict
	left                float64 // share of windows that were left out
	perSecond           float64 // interruptions
	widths              []float64
	rateWidths          []float64
	width, rateWidth    float64 // median half widths of the outer intervals of the knee and the saturated rate
}

// run performs sweeps of so many routers, from one seed on.
func (s scenario) run(from, seeds int) (r score) {
	for seed := from; seed < from+seeds; seed++ {
		dut := newRouter(uint64(seed))
		g := Goal{Maximum: 1.6e6, Buffer: 256, Seed: uint64(seed)}
		if s.goal != nil {
			s.goal(&g)
		}
		if s.dut != nil {
			s.dut(dut)
		}
		past, waves := s.once(g, dut.start())
		r.add(dut, g, g.Estimate(past), mean(waves))
	}
	n := float64(max(r.numbers, 1))
	for _, v := range []*float64{&r.knee, &r.zero, &r.rate, &r.long, &r.disturbed} {
		*v = math.Sqrt(*v / n)
	}
	for _, v := range []*float64{&r.bias, &r.rateBias, &r.held, &r.zeroHeld, &r.rateHeld, &r.heldThen, &r.costs, &r.unsat, &r.sinks, &r.graceful} {
		*v /= n
	}
	r.left /= float64(r.n)
	r.perSecond /= float64(r.n)
	r.width, r.rateWidth = median(r.widths), median(r.rateWidths)
	return r
}

// once performs a sweep, and says where the wave was in the passes that count.
func (s scenario) once(g Goal, dut *router) (past []Pass, waves []float64) {
	var each [][]float64
	for p, ok := g.Next(past); ok; p, ok = g.Next(past) {
		if len(past) > 0 {
			dut.now += s.pause
			dut.drift(s.pause)
		}
		dut.waves = dut.waves[:0]
		p.Start = seconds(dut.now)
		for i, w := range p.Windows {
			if s.aim != nil {
				p.Windows[i] = s.aim(w)
			}
		}
		p.Results = dut.send(p.Windows)
		past, each = append(past, p), append(each, slices.Clone(dut.waves))
	}
	st := g.or().knowing(past).replay(past, false)
	for i := range past {
		if st.counted[i] {
			waves = append(waves, each[i]...)
		}
	}
	return past, waves
}

// add compares an estimate with the truth.
func (r *score) add(dut *router, g Goal, e Estimate, wave float64) {
	r.n++
	r.left += e.LeftOutShare
	r.perSecond += e.Interruptions.Rate
	if e.Knee.Value <= 0 || e.Saturated.Value <= 0 || math.IsNaN(wave) {
		if e.Limited != "" {
			r.explained++
		}
		return
	}
	r.numbers++
	// A capacity C loses the ratio r at C / (1 - r) or, where each frame beyond
	// it changes it, where the excess says.
	loss := g.or().Loss
	at := 1 + loss/(1-dut.excess-loss)
	long, then := dut.capacity, dut.capacity*math.Exp(wave)
	square := func(v, truth float64) float64 { return (v/truth - 1) * (v/truth - 1) }
	r.knee += square(e.Knee.Value, then*at)
	r.zero += square(e.KneeZero.Value, then)
	r.rate += square(e.Saturated.Value, then)
	r.disturbed += square(e.KneeDisturbed.Value, then*at)
	r.long += square(e.Knee.Value, long*at)
	r.bias += e.Knee.Value/(then*at) - 1
	r.rateBias += e.Saturated.Value/then - 1
	count := func(to *float64, is bool) {
		if is {
			*to++
		}
	}
	holds := func(i Interval, v float64) bool { return i.Lower <= v && v <= i.Upper }
	count(&r.held, holds(e.Knee, long*at))
	count(&r.zeroHeld, holds(e.KneeZero, long))
	count(&r.rateHeld, holds(e.Saturated, long))
	count(&r.heldThen, e.Knee.LowerThen <= then*at && then*at <= e.Knee.UpperThen)
	count(&r.costs, e.Has(Costs))
	count(&r.unsat, e.Has(Unsaturated))
	count(&r.sinks, e.Has(Sinking))
	count(&r.graceful, e.Verdict == Graceful)
	half := func(i Interval) float64 { return (i.Upper - i.Lower) / 2 / i.Value }
	r.widths, r.rateWidths = append(r.widths, half(e.Knee)), append(r.rateWidths, half(e.Saturated))
}

// sweepOf performs a sweep.
func sweepOf(g Goal, dut sender) []Pass {
	var past []Pass
	for p, ok := g.Next(past); ok; p, ok = g.Next(past) {
		p.Results = dut.send(p.Windows)
		past = append(past, p)
	}
	return past
}

func length(past []Pass) (d time.Duration) {
	for _, p := range past {
		d += p.Length()
	}
	return d
}
