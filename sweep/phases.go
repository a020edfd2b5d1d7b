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
	faster  float64 // logarithm of a faster one that a neighbour shows; -Inf: none
	several bool    // there is more than one speed
	lead    int     // index of the speed that the headline is of
	least   bool    // a faster one was seen, by a neighbour or for too short
}

// phasesOf finds the phases of samples in their order, of which stalls are marked.
func (g Goal) phasesOf(samples []sample) phases {
	p := phases{track: g.follow(samples), faster: math.Inf(-1)}
	if p.track == nil {
		return p
	}
	if _, jumps := p.track.visits(samples); !jumps && len(g.Neighbours) == 0 {
		return p
	}
	p.track.fit() // an overload that costs looks like jumps
	var jumps bool
	if p.visits, jumps = p.track.visits(samples); !p.track.explains() {
		return p
	}
	p.speeds = speeds(p.visits, samples)
	unknown := jumps && slices.ContainsFunc(p.visits, func(v visit) bool { return v.faster(p.speeds) })
	p.several = jumps && (len(p.speeds) > 1 || len(p.speeds) == 1 && unknown)
	p.heed(g.Neighbours, samples)
	if p.several = p.several || !math.IsInf(p.faster, -1); p.several {
		p.choose(samples, unknown)
	}
	return p
}

// choose takes for the headline the fastest speed that held for long enough, or else
// the one that held longest, which is then only a lower bound.
func (p *phases) choose(samples []sample, unknown bool) {
	rounds := map[int]bool{}
	for i := range samples {
		rounds[samples[i].round] = true
	}
	held := func(s speed) bool {
		return float64(s.windows) >= speedShare*float64(len(samples)) && s.rounds >= min(speedRounds, len(rounds))
	}
	if p.lead = slices.IndexFunc(p.speeds, held); p.lead < 0 {
		p.lead, p.least = 0, true
		for i, s := range p.speeds {
			if s.windows > p.speeds[p.lead].windows {
				p.lead = i
			}
		}
	}
	p.least = p.least || p.lead > 0 || unknown || !math.IsInf(p.faster, -1)
}

// aim is the capacity around which loads have to lie for the fastest speed to show
// itself: that of the fastest one, of a neighbour too, or more than the highest load that
// nothing was lost of.
func (p *phases) aim() float64 {
	top := p.faster
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
	for i, s := range p.speeds {
		e.Speeds = append(e.Speeds, Speed{Capacity: math.Exp(s.log), Share: float64(s.windows) / float64(len(j.fine)), Lead: i == p.lead})
	}
	for _, v := range p.visits {
		last := j.fine[v.to-1]
		e.Track = append(e.Track, Moment{At: j.fine[v.from].at, Until: last.at + last.window.Length(), Capacity: math.Exp(v.level())})
	}
	j.fine, j.coarse = p.normalised(j.fine), nil // coarse windows were of any speed
	e.Curve = curve(j.fine)
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
