package method

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"weir"
)

const (
	leastLost    = .02  // of the frames of a trial that shows what drops them
	leastBusy    = .85  // of the time of a CPU that has none left, as windows of less load lie between
	leastCounted = .5   // of what was lost, by one counter
	nearTop      = .99  // of what medium or plan allow
	mostLeft     = .001 // of the frames at maximum load, that were lost all the same
	leastWork    = .05  // of a CPU's time, to be named
	leastTicks   = .2   // seconds, of which the kernel's counts of a hundredth give shares
)

// limits puts into results what limits them, where they are rates of frames or of payload: of
// DUTs side by side one for each.
func limits(env Env, p Params, results []weir.Result, trials []weir.TrialResult) {
	for i := range results {
		r := &results[i]
		if r.Transfer != nil && r.Unit == "bit/s" && r.Value > 0 {
			r.Limit = limitTransfer(env, r, trials)
			continue
		}
		rates := slices.Contains([]Kind{Rate, Goals, Most, Peak, Knee, Overfull}, env.Method.Kind)
		if !rates || r.Unit != "frames/s" || !(r.Value > 0) || r.Finding != nil {
			continue
		}
		if r.Limit == nil {
			r.Limit = &weir.Limit{By: weir.ByUnknown}
		}
		arm := -1
		if len(env.Arms) > 0 {
			arm = i
		}
		dropped := gatherEvidence(r.Limit, env, trials, arm)
		if r.Limit.By == weir.ByUnknown {
			judge(r.Limit, dropped, begin(env, p), r)
		}
	}
}

// judge says what limits a result, by what trials have shown, by the kind of counter that has
// most of what they lost, and by where they ended.
func judge(l *weir.Limit, dropped weir.DropKind, s *session, r *weir.Result) {
	top, by := s.limit()
	top *= s.ports()
	medium := s.env.MediaRate * s.ports()
	atEdge := AtLeast(r) && (r.Sweep == nil || r.Limited != weir.LimitedBySpeed)
	switch {
	case len(s.env.Arms) > 0 && l.Busy >= leastBusy:
		l.By = weir.ByCPU
	case len(s.env.Arms) > 0:
	case medium > 0 && r.Value >= nearTop*medium:
		l.By, l.Rate = weir.ByMedium, medium
	case atEdge && by == limitPlan && r.Value >= nearTop*top:
		l.By, l.Rate = weir.ByPlan, top
	case atEdge, s.env.Method.Kind == Most && r.LossRatio <= mostLeft:
		l.By, l.Rate = weir.ByTester, r.Value
	case l.Busy >= leastBusy:
		l.By = weir.ByCPU
	case l.Place != "" && dropped == weir.DropPoliced:
		l.By = weir.ByPolicer
	case l.Place != "" && dropped == weir.DropFull:
		l.By = weir.ByQueue
	}
}

// gatherEvidence fills in what trials that lost frames show of the DUT's CPUs and of its counters,
// of one of several DUTs side by side those of its own; and returns of which kind the counter is
// that it names.
func gatherEvidence(l *weir.Limit, env Env, trials []weir.TrialResult, arm int) (kind weir.DropKind) {
	lost, places := 0., map[string]float64{}
	kinds := map[string]weir.DropKind{}
	for _, t := range trials {
		ledger := t.Ledger
		if arm >= 0 {
			if arm >= len(t.Arms) {
				continue
			}
			ledger = t.Arms[arm]
		}
		missing := float64(ledger.Offered) - float64(ledger.Received) - float64(ledger.LostByTester())
		if ledger.Received == 0 || missing < leastLost*float64(ledger.Offered) {
			continue
		}
		if cpu, busy, work := busiestCPU(t, env.DUTCPUs); busy > l.Busy {
			l.CPU, l.Busy, l.Work = cpu, busy, work
		}
		lost += missing
		for _, d := range ledger.Drops {
			if !d.OfTester() {
				places[d.Place] += float64(d.Count)
				kinds[d.Place] = d.Kind
			}
		}
	}
	most := 0.
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if n := places[place]; n >= leastCounted*lost && n > most {
			most, l.Place, l.Counted = n, place, min(1, n/lost)
		}
	}
	return kinds[l.Place]
}

// busiestCPU is which CPU of so many of the DUT's was busiest while a trial was sent, for
// what share of that time, and with what; "" where nothing is known of them, as where the
// tester works on one of them.
func busiestCPU(t weir.TrialResult, cpus int) (cpu string, busy float64, work []weir.CPUWork) {
	if cpus == 0 || weir.HasWarning(t.Warnings, weir.SharedCPU) {
		return "", 0, nil
	}
	switch all := t.DUTCPU + t.DUTIdle; { // to the nanosecond, of all of them together
	case t.DUTIdle > 0:
		cpu, busy = "CPUs", t.DUTCPU.Seconds()/all.Seconds()
	case t.DUTCPU > 0 && t.Sending > 0: // it had no time left, or that is not known
		cpu, busy = "CPUs", min(1, t.DUTCPU.Seconds()/(t.Sending.Seconds()*float64(cpus)))
	}
	kinds := readKinds(t)
	if len(kinds) > cpus {
		return cpu, busy, nil // some are others' CPUs
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		share, of, worked := sumKinds(kinds[name], max(0, t.Host.Over-t.Sending))
		switch {
		case of < leastTicks:
		case cpus == 1 && cpu != "":
			cpu, work = name, worked
		case share > busy:
			cpu, busy, work = name, share, worked
		}
	}
	return cpu, busy, work
}

// readKinds are the seconds that each CPU has spent on each kind of work, in hundredths.
func readKinds(t weir.TrialResult) map[string]map[string]float64 {
	kinds := map[string]map[string]float64{}
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
	return kinds
}

// sumKinds returns the share of its time for which a CPU worked, of how many seconds, and with what:
// without a time around the sending, in which it had nothing to do.
func sumKinds(kinds map[string]float64, around time.Duration) (share, of float64, work []weir.CPUWork) {
	idle := 0.
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		switch v := kinds[kind]; kind {
		case "steal":
		case "idle", "iowait":
			idle += v
		default:
			of += v
			work = append(work, weir.CPUWork{Kind: kind, Share: v})
		}
	}
	worked := of
	of += max(0, idle-around.Seconds())
	for i := range work {
		work[i].Share /= max(of, leastTicks)
	}
	work = slices.DeleteFunc(work, func(w weir.CPUWork) bool { return w.Share < leastWork })
	slices.SortStableFunc(work, func(a, b weir.CPUWork) int { return cmp.Compare(b.Share, a.Share) })
	return worked / max(of, leastTicks), of, work
}
