package method

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"weir"
)

// What RFC 2544 asks of every trial.
const (
	fullTrial    = 60 * time.Second  // section 24
	fullStream   = 120 * time.Second // section 26.2
	fullRepeats  = 20                // section 26.2
	learningWait = 2 * time.Second   // section 23 b
	residualWait = 2 * time.Second   // section 23 d
	settleWait   = 5 * time.Second   // section 23 e
)

// rfc2544Sizes are those of Ethernet, section 9.1.
var rfc2544Sizes = []weir.Size{64, 128, 256, 512, 1024, 1280, 1518}

// A miss keeps a result from a stronger name. The texts hold nothing that
// differs between the frame sizes of a campaign, so that reports can say them
// once.
type miss struct {
	label string // what the result is called for it: "short trials"
	text  string // with RFC and section, MUST and SHOULD where it says so
}

// claimThroughput names the result of a search by what it has earned: the name
// of RFC 2544 only where all of it was kept. limit is what ended the search at
// its highest load; "" when the DUT did.
func claimThroughput(p Params, env Env, limit string) weir.Claim {
	var misses []miss
	if p.Trial < fullTrial {
		misses = append(misses, miss{"short trials", fmt.Sprintf(
			"RFC 2544 section 24: the final determination SHOULD be made with trials of at least 60 s; these lasted %v", p.Trial)})
	}
	misses = append(misses, missedWaits(env.Waits)...)
	misses = append(misses, missedFrames(env.Traffic)...)
	if limit == limitTester || limit == limitPlan {
		misses = append(misses, miss{"at least", fmt.Sprintf(
			"RFC 2544 section 26.1: the throughput is the fastest rate without loss; no faster one was tried because of %s", limit)})
	}
	exceed := ""
	if p.Exceed > 0 {
		exceed = fmt.Sprintf(", exceed ratio %s %%", percent(p.Exceed))
		misses = append(misses, miss{"", fmt.Sprintf(
			"RFC 2544 section 26.1: the count of frames received equals the count sent; here %s %% of the trials at one load may miss the goal", percent(p.Exceed))})
	}
	if p.Loss > 0 {
		misses = append([]miss{{"", fmt.Sprintf(
			"RFC 2544 section 26.1: at the throughput no frame is lost; this goal allows %s %%", percent(p.Loss))}}, misses...)
		return weir.Claim{Name: fmt.Sprintf("rate at %s %% loss", percent(p.Loss)) + exceed, Missed: texts(misses)}
	}
	if len(misses) == 0 {
		return weir.Claim{Name: "RFC 2544 throughput"}
	}
	name := "throughput"
	if first := misses[0].label; first != "" {
		name += ", " + first
	}
	return weir.Claim{Name: name + exceed, Missed: texts(misses)}
}

func claimFRMOL() weir.Claim {
	return weir.Claim{Name: "FRMOL", Missed: []string{
		"RFC 2544 section 26.1: only the maximum load was offered; the fastest rate without loss may be lower or higher",
	}}
}

// claimLatency names a latency by what RFC 2544 section 26.2 asks.
func claimLatency(p Params, env Env, repeats int) weir.Claim {
	name := "latency"
	var misses []miss
	if p.Trial < fullStream {
		name += ", short stream"
		misses = append(misses, miss{text: fmt.Sprintf(
			"RFC 2544 section 26.2: the stream SHOULD be at least 120 s in duration; it lasted %v", p.Trial)})
	}
	if p.Load != 1 {
		misses = append(misses, miss{text: fmt.Sprintf(
			"RFC 2544 section 26.2: the stream is sent at the throughput rate; this one was sent at %s %% of it", percent(p.Load))})
	}
	if repeats < fullRepeats {
		misses = append(misses, miss{text: fmt.Sprintf(
			"RFC 2544 section 26.2: the test MUST be repeated at least 20 times; the number of trials was %d", repeats)})
	}
	misses = append(misses,
		miss{text: "RFC 2544 section 26.2: the reported value is the average of one tagged frame a trial; this is the median of all frames"},
		miss{text: "RFC 1242 section 3.8: latency counts from the last bit in to the first bit out; here each frame is stamped before it is sent and when the receiver has it"})
	misses = append(misses, missedWaits(env.Waits)...)
	misses = append(misses, missedFrames(env.Traffic)...)
	return weir.Claim{Name: name, Missed: texts(misses)}
}

// missedWaits are the pauses of RFC 2544 section 23 that were cut short.
func missedWaits(w weir.Waits) (out []miss) {
	for _, wait := range []struct {
		got, want time.Duration
		when      string
	}{
		{w.Learning, learningWait, "after the learning frames"},
		{w.Residual, residualWait, "for residual frames"},
		{w.Settle, settleWait, "for the DUT to restabilize"},
	} {
		if wait.got < wait.want {
			out = append(out, miss{"short waits", fmt.Sprintf("RFC 2544 section 23: wait %v %s; the wait was %v", wait.want, wait.when, wait.got)})
		}
	}
	return out
}

// missedFrames are the ways in which the test frames differ from those of RFC
// 2544.
func missedFrames(t weir.Traffic) (out []miss) {
	const label = "other test frames"
	switch {
	case len(t.Sizes) != 1:
		out = append(out, miss{label, "RFC 2544 section 9.1: all frames of a trial have one size; this is a mix"})
	case !slices.Contains(rfc2544Sizes, t.Sizes[0]):
		out = append(out, miss{label, "RFC 2544 section 9.1: the sizes are 64, 128, 256, 512, 1024, 1280 and 1518 octets"})
	}
	if t.Family != weir.IPv4 || t.Protocol != weir.UDP {
		out = append(out, miss{label, fmt.Sprintf("RFC 2544 appendix C: test frames are UDP over IPv4; these are %s over %s", t.Protocol, t.Family)})
	}
	if len(t.VLANs) > 0 {
		out = append(out, miss{label, "RFC 2544 appendix C: test frames carry no VLAN tag"})
	}
	return out
}

func texts(misses []miss) (out []string) {
	for _, m := range misses {
		out = append(out, m.text)
	}
	return out
}

// percent is a ratio in percent, without the sign.
func percent(ratio float64) string {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(ratio*100, 'g', 6, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}
