package method

import (
	"slices"

	"weir"
	"weir/internal/claim"
)

// warnOfTransfer adds the warnings of a transfer: t is its median trial.
func warnOfTransfer(r *weir.Result, t weir.TrialResult, trials []weir.TrialResult) {
	if s, bound := claim.StorageBound(t); bound {
		warnOf(r, weir.DiskBound, storageText(t, s))
	}
	if side, share, busy := claim.BusyProgram(t); busy {
		warn(r, weir.TesterLimited, "the programs of the %s used %.0f %% of a CPU: the limit may be theirs, and not the network's", side, 100*share)
	}
	if sentence := fluttered(t, trials); sentence.Text != "" {
		warnOf(r, weir.UnstableRate, sentence)
	}
}

// storageText says whose storage a transfer was as fast as.
func storageText(t weir.TrialResult, s claim.Storage) weir.Sentence {
	what, does := "disk", "reads"
	if t.Trial.Transfer.Storage == weir.Memory {
		what = "file system in memory"
	}
	if s.Side == weir.Destination {
		does = "writes"
	}
	sentence := weir.Say("the %s's %s alone %s %s, and the files came at %s", s.Side, what, does, megabits(s.Alone), megabits(s.Goodput))
	if s.Goodput > s.Alone {
		return sentence.Then(": the storage is no faster than the transfer, and the network may do more")
	}
	return sentence.Then(": that is within 10 %% of it, and the network may do more")
}

// fluttered says how the rate of a transfer fluctuated, and nothing where it did not. Of
// several trials that did, it is the median one that is reported, or the first.
func fluttered(t weir.TrialResult, trials []weir.TrialResult) weir.Sentence {
	of := func(t weir.TrialResult) (course, bool) {
		c, known := courseOf(countedSeconds(t))
		return c, known && c.unstable()
	}
	unstable := slices.DeleteFunc(slices.Clone(trials), func(t weir.TrialResult) bool { _, is := of(t); return !is })
	if len(unstable) == 0 {
		return weir.Sentence{}
	}
	c, shown := of(t)
	if !shown {
		c, _ = of(unstable[0])
	}
	if len(trials) == 1 {
		return c.describe()
	}
	return weir.Say("in %d of %d trials, as in this one: %s", len(unstable), len(trials), c.describe())
}

// otherFigures returns the figures of a trial of a transfer, without those that a result
// has already.
func otherFigures(t weir.TrialResult, known []weir.Figure) (out []weir.Figure) {
	found := t.Transferred
	say := func(f weir.Figure) {
		same := func(o weir.Figure) bool { return o.Name == f.Name }
		if !slices.ContainsFunc(known, same) && !slices.ContainsFunc(out, same) {
			out = append(out, f)
		}
	}
	add := func(name string, value float64, unit string) { // 0 is: not known
		if value > 0 {
			say(weir.Figure{Name: name, Value: value, Unit: unit})
		}
	}
	add("round trip without load", found.IdleRTT, "s")
	if found.RTT.N > 0 {
		add("round trip under load", found.RTT.Quantile(.5), "s")
		add("round trip under load, 99th percentile", found.RTT.Quantile(.99), "s")
	}
	if found.Segment > 0 || found.Retransmitted > 0 {
		say(weir.Figure{Name: "segments retransmitted", Value: float64(found.Retransmitted), Unit: "segments"})
	}
	if seconds := found.Took.Seconds() * float64(t.Trial.Traffic.Ports()); seconds > 0 {
		add(claim.CPUOfSource, found.CPU.Source.Seconds()/seconds, "")
		add(claim.CPUOfDestination, found.CPU.Destination.Seconds()/seconds, "")
	}
	add("largest segment", float64(found.Segment), "octets")
	add(claim.PathMTU, float64(found.PathMTU), "octets")
	for _, d := range found.Disks {
		if d.Side == weir.Source {
			add("storage of the source alone, reading", d.Read, "bit/s")
		} else {
			add("storage of the destination alone, writing", d.Write, "bit/s")
		}
	}
	for _, f := range found.Figures {
		say(f)
	}
	return out
}
