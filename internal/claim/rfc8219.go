package claim

import (
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/stats"
)

// fullTags is how many frames of a stream are tagged at least (RFC 8219
// section 7.2).
const fullTags = 500

// sizes8219 is the demand of RFC 8219 for frame sizes, which has one more than
// those of RFC 5180.
func sizes8219(e Evidence) checklist {
	all := append(append(Sizes(), 768), larger...)
	return checklist{
		size(e, "RFC 8219 section 5.1.1", "frame sizes SHOULD be 64, 128, 256, 512, 768, 1024, 1280, 1518, 1522, 2048, 4096, 8192 and 9216 octets", all...),
		{id: "bidirectional", source: "RFC 8219 section 5.3", level: weir.Should, text: "tests SHOULD be performed with bidirectional traffic; unidirectional ones MAY be performed as well",
			found: plural(e.traffic().Ports(), "sending port"), kept: e.traffic().Bidirectional, optional: true},
		{id: "frame-kind", source: "RFC 8219 section 5.3", level: weir.Should, text: "UDP traffic SHOULD be employed", found: kind(e.traffic()),
			kept: e.traffic().Protocol == weir.UDP && e.traffic().Replay == nil, label: otherFrames},
	}
}

// CheckTypicalLatency is the checklist of RFC 8219 section 7.2.
func CheckTypicalLatency(e Evidence) weir.Claim {
	const source = "RFC 8219 section 7.2"
	tags := demand{id: "tags", source: source, level: weir.Should, text: "tags SHOULD be included in at least 500 frames after 60 s", found: "no frame was tagged"}
	least, after := len(e.Trials[0].Tagged), e.Trials[0].Trial.Tags.After
	for _, t := range e.Trials {
		least, after = min(least, len(t.Tagged)), min(after, t.Trial.Tags.After)
	}
	if least > 0 {
		tags.found = fmt.Sprintf("there were fewer, or they began after %v", after)
		if least >= fullTags && after >= TagAfter {
			tags.found, tags.kept = fmt.Sprintf("at least %d, after %v", least, after), true
		}
	}
	value := demand{id: "value", source: source, level: weir.Must, text: "the value is the median over the trials of the typical latency, itself the median of the tagged frames", found: "this is another figure"}
	tagged := where(e.Trials, func(t weir.TrialResult) bool { return len(t.Tagged) > 0 })
	if len(tagged) > 0 && alike(e.Value, median(tagged, medianTagged)) {
		value.found, value.kept = fmt.Sprintf("of %s", plural(len(tagged), "trial")), true
	}
	l := slices.Concat(sizes8219(e), waits(e), atThroughput(e, source, 1), streams(e, source, FullStream), checklist{tags},
		repeats(tagged, source, weir.Must, "the test MUST be repeated at least 20 times", FullRepeats),
		checklist{value}, definition(source))
	return l.claim("RFC 8219 latency", "typical latency")
}

func medianTagged(t weir.TrialResult) float64 {
	seconds := make([]float64, len(t.Tagged))
	for i, d := range t.Tagged {
		seconds[i] = d.Seconds()
	}
	return stats.Median(seconds)
}

// CheckPDV is the checklist of RFC 8219 section 7.3.1.
func CheckPDV(e Evidence) weir.Claim {
	return variation(e, "RFC 8219 section 7.3.1", "the delay of all frames is measured, and PDV is the 99.9th percentile less the least", "PDV",
		func(t weir.TrialResult) bool { return t.Latency.N > 0 },
		func(t weir.TrialResult) float64 { return t.Latency.Quantile(.999) - t.Latency.Quantile(0) })
}

// CheckIPDV is the checklist of RFC 8219 section 7.3.2. The value is the greatest
// one; the least and the median are figures.
func CheckIPDV(e Evidence) weir.Claim {
	return variation(e, "RFC 8219 section 7.3.2", "IPDV is the delay of each frame less that of the one before; least, median and greatest", "IPDV",
		func(t weir.TrialResult) bool {
			return t.Variation != nil && t.Variation.Longer.N+t.Variation.Shorter.N > 0
		},
		func(t weir.TrialResult) float64 { return t.Variation.Quantile(1) })
}

// variation is what the two checklists have in common.
func variation(e Evidence, source, text, name string, has func(weir.TrialResult) bool, figure func(weir.TrialResult) float64) weir.Claim {
	measured := where(e.Trials, has)
	value := demand{id: "value", source: source, level: weir.Must, text: text + "; the value is the median of the trials", found: "this is another figure"}
	if len(measured) > 0 && alike(e.Value, median(measured, figure)) {
		value.found, value.kept = fmt.Sprintf("of %s", plural(len(measured), "trial")), true
	}
	l := slices.Concat(sizes8219(e), waits(e), atThroughput(e, source, 1), streams(e, source, 60*time.Second), checklist{value},
		repeats(measured, source, weir.Must, "the test MUST be repeated at least 20 times", FullRepeats))
	return l.claim("RFC 8219 "+name, name)
}
