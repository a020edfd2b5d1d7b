package method

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
)

const (
	leastLost    = .02 // of the frames of a trial that shows what drops them
	leastBusy    = .85 // of the time of a CPU that has none left, as windows of less load lie between
	leastCounted = .5  // of what was lost, by one counter
	mediumShare  = .99 // of what a medium carries
	leastWork    = .05 // of a CPU's time, to be named
	leastTicks   = .2  // seconds, of which the kernel's counts of a hundredth tell shares
)

// limits puts into results what limits them, where they are rates of frames.
func limits(env Env, p Params, results []weir.Result, trials []weir.TrialResult) {
	for i := range results {
		r := &results[i]
		if r.Unit != "frames/s" || !(r.Value > 0) || !slices.Contains([]Kind{Rate, Goals, Most, Peak, Knee, Overfull}, env.Method.Kind) {
			continue
		}
		if r.Limit == nil {
			r.Limit = &weir.Limit{By: weir.ByUnknown}
		}
		l, s := r.Limit, begin(env, p)
		shown(l, trials)
		rate, by := s.limit()
		switch {
		case l.By != weir.ByUnknown:
		case env.MediaRate > 0 && r.Value >= mediumShare*env.MediaRate*s.ports():
			l.By, l.Rate = weir.ByMedium, env.MediaRate*s.ports()
		case env.Method.Kind == Most && r.LossRatio <= 1-mediumShare:
			l.By, l.Rate = weir.ByTester, r.Value
		case AtLeast(r) && by == limitPlan && (r.Sweep == nil || r.Limited != weir.LimitedBySpeed):
			l.By, l.Rate = weir.ByPlan, rate*s.ports()
		case AtLeast(r) && by == limitTester && (r.Sweep == nil || r.Limited != weir.LimitedBySpeed):
			l.By, l.Rate = weir.ByTester, r.Value
		case l.Busy >= leastBusy:
			l.By = weir.ByCPU
		case l.Place != "":
			l.By = weir.ByQueue
		}
	}
}

// shown fills in what trials that lost frames show of the DUT's CPUs and of its counters.
func shown(l *weir.Limit, trials []weir.TrialResult) {
	lost, places := 0., map[string]float64{}
	for _, t := range trials {
		if t.Received == 0 || t.DUTLoss() < leastLost {
			continue
		}
		if cpu, busy, work := busiestCPU(t); busy > l.Busy {
			l.CPU, l.Busy, l.Work = cpu, busy, work
		}
		lost += float64(t.Offered-t.Received) - float64(t.Ledger.LostByTester())
		for _, d := range t.Ledger.Drops {
			if !strings.HasPrefix(d.Place, weir.TesterPlace) {
				places[d.Place] += float64(d.Count)
			}
		}
	}
	for place, n := range places {
		if share := min(1, n/lost); share >= leastCounted && share > l.Counted {
			l.Place, l.Counted = place, share
		}
	}
}

// busiestCPU is which CPU of the DUT was busiest in a trial, for what share of its time, and
// with what; "" where nothing is known of them.
func busiestCPU(t weir.TrialResult) (cpu string, busy float64, work []weir.CPUWork) {
	if all := t.DUTCPU + t.DUTIdle; t.DUTIdle > 0 { // to the nanosecond, of all of them together
		cpu, busy = "CPUs", t.DUTCPU.Seconds()/all.Seconds()
	}
	kinds := map[string]map[string]float64{} // seconds of each CPU, in hundredths
	for _, r := range t.Readings {
		var n int
		var kind string
		if _, err := fmt.Sscanf(r.Name, "CPU %d %s", &n, &kind); r.Source == "cpu" && err == nil {
			name := fmt.Sprintf("CPU %d", n)
			if kinds[name] == nil {
				kinds[name] = map[string]float64{}
			}
			kinds[name][kind] += r.Value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		all, worked := 0., []weir.CPUWork(nil)
		for _, kind := range slices.Sorted(maps.Keys(kinds[name])) {
			if kind == "steal" {
				continue
			}
			all += kinds[name][kind]
			if kind != "idle" && kind != "iowait" {
				worked = append(worked, weir.CPUWork{Kind: kind, Share: kinds[name][kind]})
			}
		}
		share := 0.
		for i := range worked {
			worked[i].Share /= all
			share += worked[i].Share
		}
		switch {
		case all < leastTicks:
		case len(kinds) == 1 && cpu != "":
			cpu, work = name, worked
		case share > busy:
			cpu, busy, work = name, share, worked
		}
	}
	work = slices.DeleteFunc(work, func(w weir.CPUWork) bool { return w.Share < leastWork })
	slices.SortStableFunc(work, func(a, b weir.CPUWork) int { return cmp.Compare(b.Share, a.Share) })
	return cpu, busy, work
}
