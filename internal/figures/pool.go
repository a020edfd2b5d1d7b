package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"weir"
	"weir/internal/method"
	"weir/internal/result"
	"weir/stats"
)

// Pooled is a campaign with one result in place of those of all runs at the
// same levels, and the runs that each stands for. Values are medians, CPU times
// means, ledgers sums; warnings are those of all runs. Runs of the baseline's
// A/A are left out, and so are the trials, of which each belongs to a run.
func Pooled(c weir.Campaign, e weir.Experiment) (weir.Campaign, [][]*weir.Result) {
	groups := make(map[string][]*weir.Result)
	var order []string
	shared := Common(FactorsIn(c.Results))
	for i := range c.Results {
		r := &c.Results[i]
		if r.Run.Again {
			continue
		}
		key := r.Method + "\x00" + Exact(r.LossRatio) + "\x00" + r.Run.Arm + "\x00" + Levels(r.Factors, shared)
		if Kind(r) != method.Rate && Kind(r) != method.Goals {
			key = r.Method + "\x00" + r.Run.Arm + "\x00" + Levels(r.Factors, shared)
		}
		if transferred(r) {
			key += fmt.Sprint("\x00", r.Unit, r.Transfer.Kind())
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], r)
	}
	inOrder(e, order, groups)
	out, runs := c, make([][]*weir.Result, len(order))
	out.Results, out.Trials = nil, nil
	for i, key := range order {
		out.Results = append(out.Results, pool(groups[key]))
		runs[i] = groups[key]
	}
	return out, runs
}

// inOrder sorts groups of results by what was sent, smaller frames first and mixes
// last, and then by their arms in the order of the plan: runs are measured in random
// order.
func inOrder(e weir.Experiment, order []string, groups map[string][]*weir.Result) {
	set := make(weir.Factors) // what arms differ in
	for _, f := range e.Factors {
		if !f.Traffic {
			set[f.Name] = true
		}
	}
	var sent []string
	place := make(map[string][3]int)
	for _, key := range order {
		r := groups[key][0]
		traffic := Levels(r.Factors, set)
		sent = With(sent, traffic)
		octets := math.MaxInt
		if v, known := numeric(r.Factors["frame_size"]); known {
			octets = int(v)
		}
		place[key] = [3]int{octets, slices.Index(sent, traffic), slices.Index(e.Arms, r.Run.Arm)}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		x, y := place[a], place[b]
		return slices.Compare(x[:], y[:])
	})
}

// pool is one result for all of a list. Those without a value have no part in it
// where others have one.
func pool(list []*weir.Result) weir.Result {
	if valued := slices.DeleteFunc(slices.Clone(list), func(r *weir.Result) bool { return r.Unmeasured != "" }); len(valued) > 0 {
		list = valued
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *weir.Result) int { return cmp.Compare(a.Value, b.Value) })
	n := len(sorted)
	out := *sorted[(n-1)/2]
	out.Value = (sorted[(n-1)/2].Value + sorted[n/2].Value) / 2
	out.Lower, out.Upper = sorted[0].Value, sorted[n-1].Value
	out.First, out.Last, out.Run = 0, 0, weir.Run{}
	out.CPUPerFrame, out.CPUShare, out.Trials, out.SearchTime, out.Warnings = 0, 0, 0, 0, nil
	out.Ledger = weir.Ledger{}
	out.Sweep = poolSweeps(list)
	if slices.ContainsFunc(list, func(r *weir.Result) bool { return r.Limit == nil || out.Limit == nil || r.Limit.By != out.Limit.By }) {
		out.Limit = nil // not all runs have the same one
	}
	for _, r := range list {
		out.CPUPerFrame += r.CPUPerFrame / float64(n)
		out.CPUShare += r.CPUShare / float64(n)
		out.Trials += r.Trials
		out.SearchTime += r.SearchTime
		if len(r.Claim.Missed) > len(out.Claim.Missed) {
			out.Claim = r.Claim // no more than the weakest of them has earned
		}
		for _, w := range r.Warnings {
			out.Warnings = weir.AddWarning(out.Warnings, w)
		}
		out.Ledger = sum(out.Ledger, r.Ledger)
	}
	return out
}

// poolSweeps is what the sweeps of several runs found: medians, and the windows of
// all; nil where one is no sweep.
func poolSweeps(list []*weir.Result) *weir.Sweep {
	middle := func(of func(*weir.Sweep) weir.Bounds) weir.Bounds {
		var values []float64
		for _, r := range list {
			if v := of(r.Sweep).Value; v > 0 {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return weir.Bounds{}
		}
		return weir.Bounds{Value: stats.Median(values), Lower: slices.Min(values), Upper: slices.Max(values)}
	}
	if slices.ContainsFunc(list, func(r *weir.Result) bool { return !result.InWindows(r) }) {
		return nil
	}
	out := *list[0].Sweep
	out.KneeZero = middle(func(s *weir.Sweep) weir.Bounds { return s.KneeZero })
	out.Saturated = middle(func(s *weir.Sweep) weir.Bounds { return s.Saturated })
	out.WithStalls = middle(func(s *weir.Sweep) weir.Bounds { return s.WithStalls })
	out.Conditional = middle(func(s *weir.Sweep) weir.Bounds { return weir.Bounds{Value: s.Conditional} }).Value
	out.Windows, out.Rounds, out.LeftOutShare, out.LeftOut, out.Interruptions, out.Limited = 0, 0, 0, nil, weir.Interruptions{}, list[0].Limited
	out.Speeds, out.Track = nil, nil // each run has its own
	for _, r := range list {
		out.Windows += r.Windows
		out.Rounds += r.Rounds
		if r.Limited != out.Limited {
			out.Limited = "" // they had different ends
		}
	}
	for _, r := range list {
		share := 1 / float64(len(list)) // where nobody knows the windows
		if out.Windows > 0 {
			share = float64(r.Windows) / float64(out.Windows)
		}
		out.LeftOutShare += share * r.LeftOutShare
		out.Interruptions = stops(out.Interruptions, r.Interruptions, share)
		out.LeftOut = leaving(out.LeftOut, r.LeftOut)
	}
	for i := range out.LeftOut {
		out.LeftOut[i].Share = float64(out.LeftOut[i].Windows) / float64(max(out.Windows, 1))
	}
	return &out
}

// stops adds the interruptions of a share of all windows to those of others. The
// median of all is not known: it is the longest of theirs.
func stops(all, some weir.Interruptions, share float64) weir.Interruptions {
	all.PerSecond += share * some.PerSecond
	all.P50, all.Max = max(all.P50, some.P50), max(all.Max, some.Max)
	return all
}

// leaving adds reasons for which windows were left out.
func leaving(all, some []weir.LeftOut) []weir.LeftOut {
	for _, l := range some {
		i := FindOrAdd(&all, func(o weir.LeftOut) bool { return o.Reason == l.Reason }, weir.LeftOut{Reason: l.Reason})
		all[i].Windows += l.Windows
	}
	return all
}

// sum is the ledger of the frames of both.
func sum(a, b weir.Ledger) weir.Ledger {
	a.Offered += b.Offered
	a.Received += b.Received
	a.Unexplained += b.Unexplained
	drops := slices.Clone(a.Drops)
	for _, d := range b.Drops {
		i := FindOrAdd(&drops, func(o weir.Drop) bool { return o.Place == d.Place }, weir.Drop{Place: d.Place})
		drops[i].Count += d.Count
	}
	a.Drops = drops
	return a
}

// GridOfRuns is the grid of a pooled campaign, with the runs of each row.
func GridOfRuns(c weir.Campaign, runs [][]*weir.Result) Grid {
	g := GridOf(c)
	g.Runs, g.Of = make(map[*weir.Result]int), make(map[*weir.Result][]*weir.Result)
	for i := range c.Results {
		g.Runs[&c.Results[i]], g.Of[&c.Results[i]] = len(runs[i]), runs[i]
	}
	return g
}

// runs is how many runs a row stands for; "" where it is none of several.
func (g Grid) runs(w row) string {
	most := 0
	for _, r := range w.Results {
		most = max(most, g.Runs[r])
	}
	return strconv.Itoa(most)
}
