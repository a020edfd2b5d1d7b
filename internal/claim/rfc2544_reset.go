package claim

import (
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/frame"
)

// leastSize is the least of the listed sizes in which there is room for the
// headers: 64 octets, or 128 with IPv6.
func leastSize(t weir.Traffic) weir.Size {
	family := t.Family
	if t.Blend != nil {
		family = weir.IPv6
	}
	room := frame.SmallestSize(family, t.Protocol, len(t.VLANs))
	return Sizes()[slices.IndexFunc(Sizes(), func(s weir.Size) bool { return s >= room })]
}

// CheckReset is the checklist of RFC 2544 section 26.6.
func CheckReset(e Evidence) weir.Claim {
	const source = "RFC 2544 section 26.6"
	t := e.traffic()
	happened := demand{id: "reset-caused", source: source, level: weir.Must, text: "a reset is caused in the DUT", found: "there was none"}
	if first := e.Trials[0].Trial.Event; first != nil {
		happened.kept = e.every(func(t weir.TrialResult) bool {
			return t.Trial.Event != nil && t.Trial.Event.Name == first.Name && t.Happened != nil && t.Happened.Error == "" &&
				t.Happened.Began < t.Trial.Length()
		})
		happened.found = "it did not take place in every trial"
		if happened.kept {
			happened.found = "it was: " + first.Name
		}
	}
	again := demand{id: "value", source: source, level: weir.Must, text: "the last frame before the reset and the first one after it are timed", found: "they were not",
		kept: e.every(func(t weir.TrialResult) bool { return t.Timeline != nil })}
	if again.kept {
		known := time.Duration(0)
		for _, t := range e.Trials {
			known = max(known, t.Timeline.KnownEdges(Outage(t)))
		}
		again.found = fmt.Sprintf("known to %v", known)
	}
	for _, t := range e.Trials {
		if again.kept && t.Timeline.LastLoss >= t.Trial.Length()-t.Timeline.Resolution {
			again.kept, again.found = false, "frames were not forwarded again before a trial ended"
		}
	}
	noticed := demand{id: "interrupted", source: source, level: weir.Must, text: "the reset interrupts the forwarding", found: "nothing was lost after it in at least one trial",
		kept: e.every(func(t weir.TrialResult) bool { return t.Timeline != nil && Outage(t) != (weir.Episode{}) })}
	if noticed.kept {
		noticed.found = "frames were lost after it in every trial"
	}
	minimum := demand{id: "minimum-size", source: source, level: weir.Must, text: "frames have the minimum size of the medium", label: otherFrames, found: "they do not",
		kept: len(t.Sizes) == 1 && t.Sizes[0] == leastSize(t)}
	if minimum.kept {
		minimum.found = fmt.Sprintf("they have %d octets, the least of the sizes that such frames can have", t.Sizes[0])
	}
	direct := demand{id: "direct", source: source, level: weir.Should, text: "this test SHOULD only be run with frames to directly connected networks",
		found: "it was", kept: t.Routes.Count == 0}
	if !direct.kept {
		direct.found = "the frames go to routes that were learnt"
	}
	l := slices.Concat(traffic(e), waits(e), atThroughput(e, source, 1), checklist{minimum, happened, noticed, again, direct,
		{id: "all-resets", source: source, level: weir.Should, text: "hardware and software resets and a power interruption of 10 s SHOULD be tested", optional: true, found: "this is one of them"},
	}, frames(e))
	return l.claim(e.full("reset"), "reset time")
}

// Outage is the longest span of loss that the event of a trial with a timeline
// was followed by; the zero Episode when there was none.
func Outage(t weir.TrialResult) weir.Episode {
	after := weir.Timeline{}
	for _, e := range t.Timeline.Episodes {
		if t.Happened != nil && e.Until > t.Happened.Began {
			after.Episodes = append(after.Episodes, e)
		}
	}
	return after.Longest()
}
