package claim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
)

// CheckLatency is the checklist of RFC 2544 section 26.2.
func CheckLatency(e Evidence) weir.Claim {
	const source = "RFC 2544 section 26.2"
	if e.Unmeasured != "" {
		return nothingMeasured
	}
	timed := where(e.Trials, func(t weir.TrialResult) bool { return t.Latency.N > 0 })
	l := slices.Concat(traffic(e), waits(e), atThroughput(e, source, 1), streams(e, source, FullStream),
		oneTag(e, timed), repeats(timed, source, weir.Must, "the test MUST be repeated at least 20 times", FullRepeats),
		definition(source), frames(e))
	return l.claim(e.full("latency"), "latency")
}

// oneTag asks for one tagged frame in each stream of each trial, and that the
// value is the mean of what they took. A stream is what one thread sends through
// one port: the number of tags is the same in all trials.
func oneTag(e Evidence, timed []weir.TrialResult) checklist {
	const source = "RFC 2544 section 26.2"
	after := demand{id: "tag-late", source: source, level: weir.Should, text: "an identifying tag SHOULD be included in one frame after 60 s", found: "no frame was tagged"}
	value := demand{id: "value", source: source, level: weir.Must, text: "the reported value is the average over the trials of what the tagged frame took", found: "this is the median of all frames"}
	each := 1
	if len(timed) > 0 {
		each = max(1, len(timed[0].Streams))
	}
	ones := where(timed, func(t weir.TrialResult) bool { return len(t.Tagged) == each && t.Trial.Tags.Count == 1 })
	late := where(ones, func(t weir.TrialResult) bool { return t.Trial.Tags.After >= TagAfter })
	tagged := where(timed, func(t weir.TrialResult) bool { return len(t.Tagged) > 0 })
	sum := 0.
	for _, t := range ones {
		for _, d := range t.Tagged {
			sum += d.Seconds()
		}
	}
	switch {
	case len(tagged) == 0:
	case len(ones) < len(timed):
		after.found = "not every stream of every trial has exactly one frame that was tagged and came back"
	case len(late) < len(ones):
		after.found = fmt.Sprintf("it was tagged after %v", ones[0].Trial.Tags.After)
	default:
		after.found, after.kept = fmt.Sprintf("one frame of each stream after %v", ones[0].Trial.Tags.After), true
	}
	if len(tagged) > 0 {
		value.found = "this is another figure"
	}
	if n := len(ones) * each; n > 0 && len(ones) == len(timed) && alike(e.Value, sum/float64(n)) {
		value.found, value.kept = fmt.Sprintf("the average of %s", plural(n, "tagged frame")), true
	}
	return checklist{after, value}
}

// definition asks that the definition of latency is named.
func definition(source string) checklist {
	return checklist{{id: "definition", source: source, level: weir.Must, kept: true,
		text: "the report MUST state which definition of latency (from RFC 1242) was used",
		found: "that for store and forward devices, section 3.8, with the tester's own path in it: " +
			"from before a frame is handed to the sending port until the receiver has it"}}
}

// atThroughput asks for a share of the throughput as the load of all trials.
func atThroughput(e Evidence, source string, share float64) checklist {
	d := demand{id: "at-throughput", source: source, level: weir.Must, label: otherLoad, text: "the stream is sent at the throughput rate", found: "the throughput is not known"}
	if rate, ok := e.Figure(Throughput); ok && rate > 0 && e.Basis != nil {
		d.kept, d.found = true, "it was"
		for _, t := range e.Trials {
			if got := t.Trial.Intended * e.ports() / rate; math.Abs(got-share) > .001*share {
				d.kept, d.found = false, fmt.Sprintf("this one was sent at %s %% of it", number(100*got))
			}
		}
		if why := e.noShare(); d.kept && why != "" {
			d.kept, d.found = false, why
		}
	}
	return checklist{d}
}

// streams asks for the duration of all streams.
func streams(e Evidence, source string, want time.Duration) checklist {
	d := shortest(e.Trials)
	return checklist{{id: "stream-length", source: source, level: weir.Should, label: shortStream,
		text:  fmt.Sprintf("the stream SHOULD be at least %.0f s in duration", want.Seconds()),
		found: fmt.Sprintf("it lasted %v", d), kept: d >= want}}
}

// repeats asks for a number of trials.
func repeats(trials []weir.TrialResult, source string, level weir.Level, text string, want int) checklist {
	return checklist{{id: "repetitions", source: source, level: level, text: text,
		found: fmt.Sprintf("the number of trials was %d", len(trials)), kept: len(trials) >= want}}
}
