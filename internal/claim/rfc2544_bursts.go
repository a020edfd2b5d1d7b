package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
)

// What RFC 2544 section 26.4 and RFC 9004 ask of bursts.
const (
	FullBurst       = 2 * time.Second // how long the longest burst that is tried lasts at least, and each trial with its wait
	FullRepetitions = 50              // of the search for the longest burst, at least
)

// CheckBackToBack is the checklist of RFC 2544 section 26.4.
func CheckBackToBack(e Evidence) weir.Claim {
	if e.Verdict == NotEnded {
		return Named(NotEnded)
	}
	const source = "RFC 2544 section 26.4"
	l := slices.Concat(traffic(e), waits(e), bursts(e, source), checklist{longest(e, source), lengths(e, source),
		repetitions(e, source, weir.Should, "the test SHOULD be repeated at least 50 times", FullRepetitions)}, frames(e))
	if e.ipv6() {
		l = append(l, demand{id: "not-for-ipv6", source: "RFC 5180 section 7.4", level: weir.Should, text: "back-to-back frames are no longer recommended for IPv6", found: "these are IPv6"})
	}
	return l.claim("RFC 2544 back-to-back", "back-to-back")
}

// CheckBackToBack9004 is the checklist of RFC 9004.
func CheckBackToBack9004(e Evidence) weir.Claim {
	if e.Verdict == NotEnded {
		return Named(NotEnded)
	}
	const source = "RFC 9004 section 6.2"
	rate, known := e.Figure(Throughput)
	medium, limited := e.Figure(TheoreticalMaximum)
	below := demand{id: "below-line-rate", source: "RFC 9004 section 6.1", level: weir.Must, text: "frame sizes are those whose throughput is less than the maximum theoretical frame rate", found: "it is"}
	computed := demand{id: "line-rate-computed", source: "RFC 9004 section 5", level: weir.Must, text: "link speeds MUST be used to compute the maximum theoretical frame rate",
		found: "they were", kept: limited && e.burstRate() >= .999*medium}
	switch {
	case !limited:
		below.found, computed.found = "the medium has no limit that is known", "the medium has no limit that is known"
	case !known:
		below.found = "the throughput is not known"
	default:
		if !computed.kept {
			computed.found = "it was computed with the rate of the bursts, which is less"
		}
		if below.kept = rate < medium; !below.kept {
			below.found = "it is not"
		}
	}
	l := slices.Concat(traffic(e), waits(e), checklist{
		{id: "throughput-known", source: "RFC 9004 section 5", level: weir.Must, text: "the throughput MUST be measured under zero-loss conditions, with the same traffic", found: known9004(e, known), kept: known && e.Basis != nil && e.Basis.Unfit == ""},
		computed, below}, bursts(e, source), checklist{longest(e, source),
		repetitions(e, "RFC 9004 section 6.3", weir.Must, "the test MUST be repeated N times, and N reported", 2),
		reported(e)}, frames(e))
	if e.ipv6() {
		l = append(l, demand{id: "not-for-ipv6", source: "RFC 5180 section 7.4", level: weir.Should, text: "back-to-back frames are no longer recommended for IPv6", found: "these are IPv6", optional: true})
	}
	return l.claim("RFC 9004 back-to-back", "back-to-back")
}

func known9004(e Evidence, known bool) string {
	switch {
	case !known || e.Basis == nil:
		return "it is not known"
	case e.Basis.Unfit != "":
		return "the rate is no throughput: " + e.Basis.Unfit
	}
	return "it was"
}

// bursts asks for the least gap.
func bursts(e Evidence, source string) checklist {
	d := demand{id: "minimum-gap", source: source, level: weir.Must, text: "bursts are sent with the minimum gap between frames", found: "the least gap that the tester can leave",
		kept: e.every(func(t weir.TrialResult) bool { return t.Trial.Count > 0 && (t.Trial.Maximum || e.atMedium(t)) })}
	medium, limited := e.Figure(TheoreticalMaximum)
	switch {
	case !d.kept:
		d.found = "other loads were sent"
		return checklist{d}
	case limited && e.burstRate() < .999*medium:
		d.kept, d.found, d.label = false, "the medium could carry more than the tester sent", otherLoad
		return checklist{d}
	}
	// A burst that lost nothing counts where one of its length left in the time
	// that its frames take.
	most := uint64(e.Upper / e.ports())
	fit := make(map[uint64]bool)
	for _, t := range e.Trials {
		if n := t.Trial.Count; t.LossRatio() <= 0 && n <= most {
			fit[n] = fit[n] || !Stretched(t, e.burstRate())
		}
	}
	for n, is := range fit {
		if !is && float64(n)*e.ports() >= e.Lower {
			d.kept, d.found = false, "a burst that lost nothing was held up by the tester"
		}
	}
	return checklist{d}
}

// burstRate is the rate of the burst that took the longest to send, in frames/s
// over all ports, or what the medium carries where bursts are sent at that.
func (e Evidence) burstRate() float64 {
	if medium, known := e.Figure(TheoreticalMaximum); known && !e.Trials[0].Trial.Maximum {
		return medium
	}
	return slices.MaxFunc(e.Trials, func(a, b weir.TrialResult) int { return cmp.Compare(a.Sending, b.Sending) }).OfferedRate()
}

// What a burst may take in addition to its frames at the rate of bursts.
const (
	slowest = .9                   // of that rate, at least
	startup = 2 * time.Microsecond // before its frames follow each other
)

// Stretched reports whether a burst left more slowly than at a rate in frames/s
// over all ports: something held the tester up, and the DUT had time that the
// least gap would not have left it.
func Stretched(t weir.TrialResult, rate float64) bool {
	gaps := float64(t.Offered) - float64(t.Trial.Traffic.Ports())
	return gaps > 0 && t.Sending > startup && gaps/(t.Sending-startup).Seconds() < slowest*rate
}

// atMedium reports whether a trial was sent at what the medium carries.
func (e Evidence) atMedium(t weir.TrialResult) bool {
	medium, known := e.Figure(TheoreticalMaximum)
	return known && t.Trial.Intended*e.ports() >= .999*medium
}

// longest asks for the longest burst without loss.
func longest(e Evidence, source string) demand {
	d := demand{id: "longest-burst", source: source, level: weir.Must, label: atLeast, kept: true,
		text: "the value is the number of frames in the longest burst without loss", found: "longer ones lost frames"}
	shortest := uint64(math.MaxUint64) // of those that lost frames
	for _, t := range e.Trials {
		if lost(t, 0) {
			shortest = min(shortest, t.Trial.Count)
		}
	}
	rate := e.burstRate()
	unsent := where(e.Trials, func(t weir.TrialResult) bool {
		n := t.Trial.Count
		return float64(n)*e.ports() > e.Upper && n < shortest && (t.Inconclusive(0) || t.LossRatio() <= 0 && Stretched(t, rate))
	})
	switch {
	case shortest == math.MaxUint64:
		d.kept, d.found = false, "no burst lost a frame"
	case len(unsent) > 0:
		d.kept, d.found = false, "the tester could not send a longer one"
	}
	if len(where(e.Trials, func(t weir.TrialResult) bool { return t.LossRatio() == 0 })) == 0 {
		d.kept, d.found = false, "no burst came through whole"
	}
	return d
}

// lengths asks for 2 s, as the faults of the text have it.
func lengths(e Evidence, source string) demand {
	tried, least := time.Duration(0), time.Duration(1<<63-1)
	for _, t := range e.Trials {
		tried = max(tried, t.Sending)
		least = min(least, t.Sending+t.Trial.Waits.Residual)
	}
	d := demand{id: "burst-length", source: source, level: weir.Must, label: shortTrials, found: "they were shorter",
		text: "the trial length MUST be at least 2 s: that of the longest burst tried, and of each burst with its wait",
		kept: tried >= FullBurst-FullBurst/100 && least >= FullBurst}
	if d.kept {
		d.found = fmt.Sprintf("these were %v and %v", tried.Round(time.Second/10), least.Round(time.Second/10))
	}
	return d
}

// repetitions asks how often the longest burst was looked for.
func repetitions(e Evidence, source string, level weir.Level, text string, want int) demand {
	n, _ := e.Figure(Repetitions)
	times := min(int(n), len(where(e.Trials, func(t weir.TrialResult) bool { return t.LossRatio() == 0 })))
	return demand{id: "repetitions", source: source, level: level, text: text + ", with the average of the values", found: fmt.Sprintf("the number of repetitions was %d", times), kept: times >= want}
}

// reported asks for the figures of RFC 9004 section 7.
func reported(e Evidence) demand {
	var missing []string
	for _, name := range []string{ShortestBurst, LongestBurst, BurstDeviation, CorrectedBuffer} {
		if _, ok := e.Figure(name); !ok {
			missing = append(missing, name)
		}
	}
	d := demand{id: "figures-reported", source: "RFC 9004 section 7", level: weir.Should, text: "minimum, maximum, standard deviation and corrected buffer time SHOULD be reported", found: "they are", kept: len(missing) == 0}
	if !d.kept {
		d.found = "there is no " + joined(missing)
	}
	return d
}
