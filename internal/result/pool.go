package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/internal/method"
	"weir/stats"
)

// Pool returns a campaign with one result in place of those of all runs at the
// same levels, and the runs that each stands for. Values are medians, CPU times
// means, ledgers sums; warnings are those of all runs. Runs of the baseline's
// A/A are left out, and so are the trials, of which each belongs to a run.
func Pool(c weir.Campaign, e weir.Experiment) (weir.Campaign, [][]*weir.Result) {
	groups := make(map[string][]*weir.Result)
	var order []string
	shared := Common(FactorsIn(c.Results))
	for i := range c.Results {
		r := &c.Results[i]
		if r.Run.Again {
			continue
		}
		key := r.Method + "\x00" + Level(r.LossRatio) + "\x00" + r.Run.Arm + "\x00" + Levels(r.Factors, shared)
		if kind := method.KindOf(r.Method); kind != method.Rate && kind != method.Goals {
			key = r.Method + "\x00" + r.Run.Arm + "\x00" + Levels(r.Factors, shared)
		}
		if OfTransfer(r) {
			key += fmt.Sprint("\x00", r.Unit, r.Transfer.Kind())
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], r)
	}
	sortGroups(e, order, groups)
	out, runs := c, make([][]*weir.Result, len(order))
	out.Results, out.Trials = nil, nil
	for i, key := range order {
		out.Results = append(out.Results, poolResults(groups[key]))
		runs[i] = groups[key]
	}
	return out, runs
}

// sortGroups sorts groups of results by what was sent, smaller frames first and mixes
// last, and then by their arms in the order of the plan: runs are measured in random
// order.
func sortGroups(e weir.Experiment, order []string, groups map[string][]*weir.Result) {
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
		if !slices.Contains(sent, traffic) {
			sent = append(sent, traffic)
		}
		octets := math.MaxInt
		if v, known := Number(r.Factors["frame_size"]); known {
			octets = int(v)
		}
		place[key] = [3]int{octets, slices.Index(sent, traffic), slices.Index(e.Arms, r.Run.Arm)}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		x, y := place[a], place[b]
		return slices.Compare(x[:], y[:])
	})
}

// poolResults returns one result for all of a list. Those without a value have no part in it
// where others have one.
func poolResults(list []*weir.Result) weir.Result {
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
		out.Ledger = addLedgers(out.Ledger, r.Ledger)
	}
	return out
}

// poolSweeps returns what the sweeps of several runs found: medians, and the windows of
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
	if slices.ContainsFunc(list, func(r *weir.Result) bool { return !InWindows(r) }) {
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
		out.Interruptions = addInterruptions(out.Interruptions, r.Interruptions, share)
		out.LeftOut = AddLeftOut(out.LeftOut, r.LeftOut)
	}
	for i := range out.LeftOut {
		out.LeftOut[i].Share = float64(out.LeftOut[i].Windows) / float64(max(out.Windows, 1))
	}
	return &out
}

// addInterruptions adds the interruptions of a share of all windows to those of others. The
// median of all is not known: it is the longest of theirs.
func addInterruptions(all, some weir.Interruptions, share float64) weir.Interruptions {
	all.PerSecond += share * some.PerSecond
	all.P50, all.Max = max(all.P50, some.P50), max(all.Max, some.Max)
	return all
}

// AddLeftOut adds reasons for which windows were left out.
func AddLeftOut(all, some []weir.LeftOut) []weir.LeftOut {
	for _, l := range some {
		if i := slices.IndexFunc(all, func(o weir.LeftOut) bool { return o.Reason == l.Reason }); i >= 0 {
			all[i].Windows += l.Windows
		} else {
			all = append(all, weir.LeftOut{Reason: l.Reason, Windows: l.Windows})
		}
	}
	return all
}

// addLedgers returns the ledger of the frames of both.
func addLedgers(a, b weir.Ledger) weir.Ledger {
	a.Offered += b.Offered
	a.Received += b.Received
	a.Unexplained += b.Unexplained
	a.Drops = weir.AddDrops(slices.Clone(a.Drops), b.Drops)
	return a
}
