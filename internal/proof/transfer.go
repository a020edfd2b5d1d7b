package proof

import (
	"cmp"
	"maps"
	"slices"

	"weir"
)

// goals are those of the results of a campaign, in their order. A result
// without a value has a unit that nobody knows, and may have no transfer: it is
// in the place of the first of its method that is wanting in its run.
func goals(results []weir.Result, tells []string) []goal {
	out := make([]goal, len(results))
	taken := map[int]map[goal]int{} // of each run, how many are alike so far
	var known []goal                // that have a value somewhere, in the order of appearance
	place := func(i int, g goal) {
		run := results[i].Run.Number
		if taken[run] == nil {
			taken[run] = map[goal]int{}
		}
		if run > 0 {
			same := g
			g.next = taken[run][same]
			taken[run][same]++
		}
		out[i] = g
	}
	for i := range results {
		if r := &results[i]; r.Unmeasured == "" {
			g := goalOf(r)
			g.place = placeOf(r.Factors, tells)
			place(i, g)
			if g = out[i]; !slices.Contains(known, g) {
				known = append(known, g)
			}
		}
	}
	for i := range results {
		r := &results[i]
		if r.Unmeasured == "" {
			continue
		}
		own := goalOf(r)
		own.place = placeOf(r.Factors, tells)
		at := slices.IndexFunc(known, func(g goal) bool {
			first := g
			first.next = 0
			return g.method == own.method && g.place == own.place && (r.Transfer == nil || g.transfer == own.transfer) && taken[r.Run.Number][first] <= g.next
		})
		if at >= 0 {
			own = known[at]
			own.next = 0
		}
		place(i, own)
	}
	return out
}

// unmeasured reports whether a run has no value because nothing could be
// measured: a program is missing, or broke off.
func unmeasured(s Sample) bool { return s.Result != nil && s.Result.Unmeasured != "" }

// Unmeasured is why no run of a comparison has a value; "" where one has.
func (c Comparison) Unmeasured() string {
	if len(c.Runs) == 0 || slices.ContainsFunc(c.Runs, func(s Sample) bool { return !unmeasured(s) }) {
		return ""
	}
	counts := map[string]int{}
	for _, s := range c.Runs {
		counts[s.Result.Unmeasured]++
	}
	return most(counts)
}

// why is why an arm found nothing, where its runs say it.
func (c *Comparison) why(arm string) string {
	counts := map[string]int{}
	for _, s := range c.Runs {
		if s.Arm == arm && unmeasured(s) {
			counts[s.Result.Unmeasured]++
		}
	}
	if why := most(counts); why != "" {
		return ": " + why
	}
	return ""
}

// broke vetoes where one arm broke off in more runs than the others: those that
// are left are a choice.
func (c *Comparison) broke(silent []string, few float64) {
	n, all := map[string]int{}, map[string]int{}
	for _, s := range c.Runs {
		if !slices.Contains(silent, s.Arm) {
			all[s.Arm]++
			if unmeasured(s) {
				n[s.Arm]++
			}
		}
	}
	arms := slices.Sorted(maps.Keys(all))
	if len(arms) == 0 {
		return
	}
	worst := slices.MaxFunc(arms, func(a, b string) int { return cmp.Compare(n[a]*all[b], n[b]*all[a]) })
	best := slices.MinFunc(arms, func(a, b string) int { return cmp.Compare(n[a]*all[b], n[b]*all[a]) })
	if share := float64(n[worst])/float64(all[worst]) - float64(n[best])/float64(all[best]); share*float64(min(all[worst], all[best])) >= few {
		c.veto(TooFewRuns, weir.Say("%s has no value in %d of %d runs, and %s in %d", worst, n[worst], all[worst], best, n[best]).
			Then(": what is left of its runs may be a choice among what it does%s", c.why(worst)))
	}
}

// stored warns where an arm was as fast as the storage of its hosts: what lies
// between these may do more, and a difference may be larger.
func (c *Comparison) stored() {
	n, all := map[string]int{}, map[string]int{}
	for _, s := range c.Runs {
		if s.Doubt == "" {
			arm := c.armOf(s)
			all[arm]++
			if warned(s.Result, weir.DiskBound) {
				n[arm]++
			}
		}
	}
	for _, arm := range slices.Sorted(maps.Keys(n)) {
		if 2*n[arm] > all[arm] {
			c.warn(weir.DiskBound, "%s was as fast as the storage of its hosts in %d of %d runs: the network may do more, and a difference be larger", arm, n[arm], all[arm])
		}
	}
}
