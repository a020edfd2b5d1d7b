package sweep

import (
	"math"
	"slices"
)

// phases are the capacity over time of some samples, and the speeds that it comes back to.
type phases struct {
	track   *track
	visits  []visit
	speeds  []speed // the fastest first
	several bool    // there is more than one speed
	lead    int     // index of the speed that the headline is of
	least   bool    // the numbers are lower bounds
}

// phasesOf finds the phases of samples in their order, of which stalls are marked.
func (g Goal) phasesOf(samples []sample) phases {
	p := phases{track: g.follow(samples)}
	if p.track == nil {
		return p
	}
	if _, jumps := p.track.visits(samples); !jumps && len(g.Neighbours) == 0 {
		return p
	}
	if !g.steady {
		p.track.fit() // an overload that costs looks like jumps
	}
	var jumps bool
	if p.visits, jumps = p.track.visits(samples); !p.track.explains() {
		return p
	}
	if p.track.jumped = jumps; jumps {
		p.visits, _ = p.track.visits(samples)
	}
	joined := p.group(g.Neighbours, samples, jumps)
	faster, blind := 0., 0. // s at a speed above all that are known, and at the fastest of these or above
	for _, v := range p.visits {
		switch {
		case v.faster(p.speeds):
			faster += v.length(samples)
		case !joined && v.blind(p.speeds): // neighbours have shown each other's speeds
			blind += v.length(samples)
		}
	}
	p.several = (jumps || joined) && (len(p.speeds) > 1 || len(p.speeds) == 1 && faster > 0)
	if p.several {
		p.choose(samples, faster+blind)
	}
	return p
}

// group finds the speeds, by the phases of neighbours that share them too, and that of each
// visit. It reports whether neighbours do.
func (p *phases) group(neighbours []Neighbour, samples []sample, jumps bool) (joined bool) {
	all := stays(p.visits, samples)
	var bounds []stay
	if len(all) > 0 {
		var known []stay
		known, bounds = p.join(neighbours, samples, all, jumps)
		all, joined = append(all, known...), len(known) > 0
	}
	var of []int
	p.speeds, of = speedsOf(all)
	for i := range p.visits {
		p.visits[i].speed = -1
	}
	for i, s := range all {
		if s.visit >= 0 {
			p.visits[s.visit].speed = of[i]
		}
	}
	for i := range p.visits {
		v := &p.visits[i]
		if v.shown >= visitLeast {
			continue
		}
		if v.speed = v.nearest(p.speeds); v.speed >= 0 {
			p.speeds[v.speed].time += v.length(samples)
		}
	}
	for _, s := range bounds {
		if k := (visit{bound: s.log}).nearest(p.speeds); k >= 0 {
			p.speeds[k].time += s.time
		}
	}
	return joined
}

// The headline is of the fastest speed that held for so long.
const (
	speedShare  = .1 // of the time of the sweep, at least
	speedUsual  = .5 // of the time of the speed that held longest, at least
	speedRounds = 2  // rounds, at least
)

// choose takes for the headline the fastest speed that held for as long as it takes. Where
// there is none, or neighbours alone met it, it takes the one of the sweep's own that held
// longest, which is a lower bound if it is slower. So are all if loads were too low to tell
// how fast the DUT was.
func (p *phases) choose(samples []sample, unknown float64) {
	rounds := map[int]bool{}
	for i := range samples {
		rounds[samples[i].round] = true
	}
	time, longest, own := 0., 0., -1
	for _, v := range p.visits {
		time += v.length(samples)
	}
	for k, s := range p.speeds {
		longest = max(longest, s.time)
		if s.own && (own < 0 || s.time > p.speeds[own].time) {
			own = k
		}
	}
	lead := slices.IndexFunc(p.speeds, func(s speed) bool {
		return s.time >= max(speedShare*time, speedUsual*longest) && s.rounds >= min(speedRounds, len(rounds))
	})
	switch {
	case lead >= 0 && p.speeds[lead].own:
		p.lead = lead
	case lead >= 0:
		p.lead, p.least = own, lead < own
	default:
		p.lead, p.least = own, own > 0
	}
	p.least = p.least || unknown > speedShare*time
}

// aim is the capacity around which loads have to lie for the fastest speed to show
// itself: that of the fastest one, of a neighbour too, or more than the highest load that
// nothing was lost of.
func (p *phases) aim() float64 {
	top := math.Inf(-1)
	for _, s := range p.speeds {
		top = max(top, s.log)
	}
	for _, v := range p.visits {
		if v.faster(p.speeds) {
			top = max(top, v.level()+math.Log(aimBeyond))
		}
	}
	return math.Exp(top)
}

// aimBeyond is how far above the highest load of which nothing was lost the next
// loads lie.
const aimBeyond = 1.3

// trackMemory is the time over which the capacity within a phase is averaged, in s.
const trackMemory = .15

// local is the logarithm of the capacity at each window of a visit: the mean of what
// the windows around it show, each the less the further away it is.
func (p *phases) local(v visit) []float64 {
	out := make([]float64, v.to-v.from)
	weights := make([]float64, len(out))
	pass := func(i, step, n int) {
		sum, weight, last := 0., 0., 0.
		for ; n > 0; i, n = i+step, n-1 {
			at := p.track.windows[v.from+i].at
			keep := math.Exp(-math.Abs(at-last) / trackMemory)
			sum, weight, last = sum*keep, weight*keep, at
			out[i], weights[i] = out[i]+sum, weights[i]+weight
			if c, ok := p.track.capacity(v.from + i); ok {
				sum, weight = sum+c, weight+1
				if step > 0 {
					out[i], weights[i] = out[i]+c, weights[i]+1
				}
			}
		}
	}
	pass(0, 1, len(out))
	pass(len(out)-1, -1, len(out))
	usual := v.level()
	if v.shown < visitLeast {
		usual = p.speeds[v.speed].log
	}
	for i := range out {
		out[i] = (out[i] + usual) / (weights[i] + 1)
	}
	return out
}

// normalHigh is the highest load, in terms of the capacity, of which normalised
// samples are kept: those of the slowest speed go far beyond what the fastest has.
const normalHigh = 1.6

// For normalNear steps of the grid below the capacity loads are kept apart. Further down a
// step has few windows, and one of them that lost frames for another reason would put the
// knee there in many a draw of the bootstrap; so normalFar of them are one group, which
// is not so large yet that those near the capacity would count as sparse.
const (
	normalNear = 8
	normalFar  = 3
)

// normalCell is the number of the group of loads that one belongs to, by the logarithm of
// the load in terms of the capacity.
func normalCell(load float64) int {
	k := math.Round(load / trackGrid)
	if k < -normalNear {
		k = -normalNear - normalFar*math.Ceil((-normalNear-k)/normalFar)
	}
	return int(k)
}

// normalised gives the samples as the DUT would have taken them at the headline's
// speed: loads and rates are multiplied by what that is in terms of the capacity of the
// moment. Loads of one group become one, their mean. Samples
// of a speed that is not known are left out.
func (p *phases) normalised(samples []sample) (out []sample) {
	lead := p.speeds[p.lead].log
	type group struct{ sum, n float64 }
	groups := map[int]*group{}
	at := make([]int, 0, len(samples))
	for _, v := range p.visits {
		if v.speed < 0 {
			continue
		}
		for i, c := range p.local(v) {
			s := samples[v.from+i]
			load := math.Log(s.load()) - c
			if load > math.Log(normalHigh) {
				continue
			}
			s.rate *= math.Exp(lead - c)
			k := normalCell(load)
			if groups[k] == nil {
				groups[k] = &group{}
			}
			groups[k].sum, groups[k].n = groups[k].sum+load, groups[k].n+1
			out, at = append(out, s), append(at, k)
		}
	}
	for i := range out {
		out[i].normal = math.Exp(lead + groups[at[i]].sum/groups[at[i]].n)
	}
	return out
}

// normalise makes the windows that the numbers are from those of the headline's speed.
func (j *judgement) normalise() {
	p, e := &j.phases, &j.e
	e.Speeds = p.list()
	for _, v := range p.visits {
		last := j.fine[v.to-1]
		e.Track = append(e.Track, Moment{At: j.fine[v.from].at, Until: last.at + last.window.Length(), Capacity: math.Exp(v.level()), AtLeast: !v.shows()})
	}
	j.fine, j.coarse = p.normalised(j.fine), nil // coarse windows were of any speed
	e.Curve = rising(curve(j.fine))
}

// list returns the speeds as others see them.
func (p *phases) list() (out []Speed) {
	time := 0.
	for _, s := range p.speeds {
		time += s.time
	}
	for i, s := range p.speeds {
		out = append(out, Speed{Capacity: math.Exp(s.log), Share: s.time / time, Lead: i == p.lead, Inferred: !s.own})
	}
	return out
}

// Speeds returns the speeds that the DUT, or its machine, had in passes of one load each, the
// fastest first. There are none where it had one, where too few windows lost frames to tell,
// and where passes of different loads alone differ, which may be what the load makes of the
// capacity. With certain it came back to two of them in another pass; without, there may be
// one, where it was faster than that for a while.
func (g Goal) Speeds(past []Pass, certain bool) []Speed {
	if g.Validate() != nil {
		return nil
	}
	g = g.or()
	g.steady = true
	p := g.phasesOf(g.samples(past))
	again := 0 // speeds that it came back to in another pass
	for _, s := range p.speeds {
		if s.rounds >= speedRounds {
			again++
		}
	}
	if !p.several || certain && again < 2 {
		return nil
	}
	return p.list()
}

// widen adds to the intervals what is not known of the headline's speed.
func (j *judgement) widen() {
	s := j.phases.speeds[j.phases.lead]
	by := critical(s.freedom) * s.err
	for _, i := range []*Interval{&j.e.Knee, &j.e.KneeZero, &j.e.Saturated, &j.e.KneeDisturbed, &j.e.ZeroDisturbed, &j.e.SaturatedDisturbed} {
		i.widen(by)
	}
}

// drifts reports whether a line through the capacity over time explains most of how
// it changes, and changes by more than a tenth.
func (p *phases) drifts() bool {
	if p.track == nil {
		return false
	}
	var n, x, y, xx, xy, yy, first, last float64
	for i, w := range p.track.windows {
		c, ok := p.track.capacity(i)
		if !ok {
			continue
		}
		if c -= p.track.base; n == 0 {
			first = w.at
		}
		last = w.at
		n, x, y, xx, xy, yy = n+1, x+w.at, y+c, xx+w.at*w.at, xy+w.at*c, yy+c*c
	}
	xx, xy, yy = n*xx-x*x, n*xy-x*y, n*yy-y*y
	return n > visitLeast && xx > 0 && math.Abs(xy/xx)*(last-first) > driftLeast && xy*xy > driftShare*xx*yy
}

// What makes a drift.
const (
	driftLeast = .1 // change of the logarithm of the capacity
	driftShare = .8 // of the variance of that, which a line explains
)

// widen adds an independent half width of the logarithm.
func (i *Interval) widen(by float64) {
	if !(i.Value > 0) {
		return
	}
	wider := func(v float64) float64 { return math.Exp(math.Hypot(math.Log(v/i.Value), by)) }
	i.Lower, i.LowerThen = i.Value/wider(i.Lower), i.Value/wider(i.LowerThen)
	i.Upper, i.UpperThen = power(math.Log(i.Value*wider(i.Upper))), power(math.Log(i.Value*wider(i.UpperThen)))
}
