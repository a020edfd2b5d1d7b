// Package losses finds what the frames have in common that a DUT loses whatever the
// load: some flows or sizes lose everything, so many frames of each flow come through and
// then none, frames come back changed, or the same share of all is lost, one here and one
// there. It is a pure function of trials that keep the fates of their frames
// (weir.Tags.Fates). It sends nothing, and says nothing of losses that a load causes.
package losses

import (
	"cmp"
	"math"
	"slices"

	"weir"
)

// Found is a finding with what it knows of single frames.
type Found struct {
	weir.Finding
	lost [2][]int // by direction: how many of the first so many frames of a cycle are lost; none where nobody knows
}

// Find finds a loss that the load does not cause in trials of one traffic at several
// loads; nil where there is none. Trials without fates count by their loss ratio alone.
func Find(trials []weir.TrialResult) *Found {
	var kept []*trialFates
	for _, t := range trials {
		if len(t.Fates) > 0 {
			kept = append(kept, fatesOf(t))
		}
	}
	f := &Found{}
	if len(kept) == 0 || !(damaged(f, trials) || wrongSizes(f, kept) || deadFlows(f, kept) || ended(f, kept) || even(f, trials, kept)) {
		return nil
	}
	if f.Loads == [2]float64{} {
		f.Loads = loadsOf(trials, func(weir.TrialResult) bool { return true })
	}
	return f
}

// Takes is how many frames of a trial are lost so; false where nobody knows which.
func (f *Found) Takes(t weir.TrialResult) (frames uint64, known bool) {
	for _, s := range t.Streams {
		cycle := f.lost[slices.Index(weir.Directions[:], s.Direction)]
		if len(cycle) == 0 {
			return 0, false
		}
		length := uint64(len(cycle) - 1)
		frames += s.Sent/length*uint64(cycle[length]) + uint64(cycle[s.Sent%length])
	}
	return frames, true
}

// know notes which frames of a cycle are lost in a direction.
func (f *Found) know(direction, length int, lost func(frame int) bool) {
	sum := make([]int, length+1)
	for i := range length {
		sum[i+1] = sum[i]
		if lost(i) {
			sum[i+1]++
		}
	}
	f.lost[direction] = sum
}

// loadsOf are the lowest and the highest load of the trials that a finding is from.
func loadsOf(trials []weir.TrialResult, from func(weir.TrialResult) bool) (loads [2]float64) {
	for _, t := range trials {
		if load := cmp.Or(t.IntendedRate(), t.OfferedRate()); from(t) {
			loads[0], loads[1] = min(cmp.Or(loads[0], load), load), max(loads[1], load)
		}
	}
	return loads
}

// trialFates are the frames of a trial whose fate is known.
type trialFates struct {
	traffic weir.Traffic
	fates   []weir.Fate
}

func fatesOf(t weir.TrialResult) *trialFates { return &trialFates{t.Trial.Traffic, t.Fates} }

// plain reports whether frame i of a stream is of flow i and of size i, each modulo their
// number.
func plain(t weir.Traffic) bool {
	return t.Replay == nil && t.Blend == nil && len(t.Extensions) == 0 && t.Pairs <= 1 && t.Arms <= 1
}

// each visits the frames, those of a stream in their order.
func (t *trialFates) each(visit func(direction, frame int, back bool)) {
	for _, f := range t.fates {
		for i := range f.Sent {
			visit(f.Port%2, i, f.Returned(i))
		}
	}
}

// tally counts frames.
type tally struct{ sent, lost int }

func (t tally) with(back bool) tally {
	t.sent++
	if !back {
		t.lost++
	}
	return t
}

// share is the part of the frames that is lost.
func (t tally) share() float64 { return float64(t.lost) / math.Max(1, float64(t.sent)) }

// unlikely is how many groups of frames may lose all of theirs by chance, on average, for
// those that did to have another cause.
const unlikely = 1e-3

// dead are the groups of which no frame came back, in order; none where those can be
// chance, by what the other groups lose.
func dead[K comparable](groups map[K]tally, order func(a, b K) int) (all []K) {
	var live tally
	for k, g := range groups {
		switch {
		case g.sent > 1 && g.lost == g.sent:
			all = append(all, k)
		case g.lost < g.sent:
			live.sent, live.lost = live.sent+g.sent, live.lost+g.lost
		}
	}
	if len(all) == 0 || live.sent == 0 {
		return nil
	}
	const some = 3 // frames, where none or hardly any was lost
	chance, expected := math.Min(1, float64(live.lost+some)/float64(live.sent)), 0.
	for _, g := range groups {
		if g.sent > 1 {
			expected += math.Pow(chance, float64(g.sent))
		}
	}
	if expected > unlikely {
		return nil
	}
	slices.SortFunc(all, order)
	return all
}

// wrongSizes finds frame sizes that do not pass.
func wrongSizes(f *Found, trials []*trialFates) bool {
	groups, sum := make(map[weir.Size]tally), tally{}
	for _, t := range trials {
		if !plain(t.traffic) {
			return false
		}
		t.each(func(_, i int, back bool) {
			size := t.traffic.Sizes[i%len(t.traffic.Sizes)]
			groups[size], sum = groups[size].with(back), sum.with(back)
		})
	}
	sizes := dead(groups, cmp.Compare)
	if len(groups) < 2 || len(sizes) == 0 {
		return false
	}
	lost := 0
	for size, g := range groups {
		if slices.Contains(sizes, size) {
			lost += g.sent
		} else {
			f.Largest = max(f.Largest, size)
		}
	}
	f.Kind, f.Sizes = weir.LosesSizes, sizes
	f.Share = float64(lost) / float64(sum.sent)
	f.Lower, f.Upper = f.Share, f.Share
	all := trials[0].traffic.Sizes
	for direction := range weir.Directions {
		f.know(direction, len(all), func(i int) bool { return slices.Contains(sizes, all[i]) })
	}
	return true
}

// damaged finds frames that come back changed: as many, in proportion, at each load.
func damaged(f *Found, trials []weir.TrialResult) bool {
	const least = 3 // frames of each trial
	var all tally
	var each []tally
	for _, t := range trials {
		if len(t.Fates) == 0 {
			continue
		}
		corrupt := 0
		for _, s := range t.Streams {
			corrupt += int(s.Corrupt)
		}
		lost := int(t.Offered - min(t.Offered, t.Received))
		if corrupt < least || 2*corrupt < lost {
			return false
		}
		each = append(each, tally{int(t.Offered), corrupt})
		all.sent, all.lost = all.sent+int(t.Offered), all.lost+corrupt
	}
	if !alike(each) {
		return false
	}
	f.Kind, f.Share = weir.DamagesSome, all.share()
	f.Lower, f.Upper = interval(all)
	return true
}
