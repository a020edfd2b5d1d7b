package claim

import (
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/frame"
)

// What RFC 6349 asks of a path and of a test.
const (
	MostLoss   = 0.05                   // of the packets that a path loses and can be tested (section 3)
	MostJitter = 150 * time.Millisecond // of such a path (section 3)
	FullTCP    = 30 * time.Second       // a test is longer than that (section 5)
)

// Figures of a test by RFC 6349.
const (
	PathMTU         = "path MTU"                          // octets (section 3.1)
	BaselineRTT     = "baseline round trip"               // s, the shortest (section 3.2.1)
	Bottleneck      = "bottleneck bandwidth"              // bit/s of an Ethernet, preamble and gap included (section 3.2.2)
	StreamLoss      = "loss of a stream of datagrams"     // ratio
	PathJitter      = "jitter of the path"                // s
	DelayProduct    = "bandwidth-delay product"           // octets: the least TCP receive window (section 3.3.1)
	IdealThroughput = "maximum achievable TCP throughput" // bit/s (section 4.1.1)
	TransferRatio   = "TCP transfer time ratio"           // section 4.1
	Efficiency      = "TCP efficiency"                    // ratio (section 4.2)
	AverageRTT      = "average round trip under load"     // s (section 4.3)
	BufferDelay     = "buffer delay"                      // ratio (section 4.3)
)

// AchievableTCP is the most that TCP can carry over an Ethernet of a bandwidth in
// bit/s with packets of an MTU in octets: RFC 6349 section 4.1.1, with headers of
// 20 octets of TCP without options and of 20 of IPv4, or 40 of IPv6.
func AchievableTCP(bandwidth float64, mtu int, family weir.Family) float64 {
	const tcpHeader = 20
	return 8 * float64(mtu-IPHeader(family)-tcpHeader) * frame.LineRate(bandwidth, FrameSize(mtu))
}

// IPHeader is how many octets the header of a packet has.
func IPHeader(family weir.Family) int {
	if family == weir.IPv6 {
		return 40
	}
	return 20
}

// FrameSize is the size in octets with FCS of a frame whose packet has as many as
// the MTU allows.
func FrameSize(mtu int) float64 {
	const ethernetHeader = 14
	return float64(mtu + ethernetHeader + frame.FCS)
}

// TransferredBy are the trials of a program.
func TransferredBy(trials []weir.TrialResult, program string) []weir.TrialResult {
	return where(trials, func(t weir.TrialResult) bool {
		return t.Trial.Transfer != nil && t.Trial.Transfer.Program == program && t.Transferred != nil
	})
}

// CheckTCPThroughput is the checklist of RFC 6349.
func CheckTCPThroughput(e Evidence) weir.Claim {
	if e.Unmeasured != "" {
		return nothingMeasured
	}
	tests := Evidence{e.Result, TransferredBy(e.Trials, "tcp")}
	if len(tests.Trials) == 0 {
		return nothingMeasured
	}
	l := slices.Concat(
		path6349(e), bandwidth6349(e, tests), metrics6349(e, tests), directions6349(tests), windows6349(tests),
		valueOf(tests, goodputText, weir.Transferred.Goodput), programs(tests))
	return l.claim("RFC 6349 TCP throughput", tcpName)
}

// path6349 are the demands for what is found before anything is loaded.
func path6349(e Evidence) checklist {
	mtu, known := e.Figure(PathMTU)
	base, timed := e.Figure(BaselineRTT)
	l := checklist{
		{id: "path-mtu", source: "RFC 6349 section 3.1", level: weir.Must, text: "the path MTU MUST be verified by packets of the transport's own (RFC 4821)", found: "it is not known", kept: known},
		{id: "baseline-round-trip", source: "RFC 6349 section 3.2.1", level: weir.Should, text: "the shortest round trip without load SHOULD be the baseline", found: "it is not known", kept: timed},
	}
	if known {
		l[0].found = number(mtu) + " octets, by packets that must not be fragmented"
	}
	if timed {
		l[1].found = number(1e6*base) + " us, between end hosts that did nothing else"
	}
	return l
}

// bandwidth6349 are the demands for the stateless stream before those of TCP.
func bandwidth6349(e, tests Evidence) checklist {
	udp := TransferredBy(e.Trials, "udp")
	bandwidth, known := e.Figure(Bottleneck)
	loss, lossy := e.Figure(StreamLoss)
	jitter, jittery := e.Figure(PathJitter)
	ideal, _ := e.Figure(IdealThroughput)
	before := demand{id: "bottleneck-measured", source: "RFC 6349 section 3.2.2", level: weir.Should, text: "the bottleneck bandwidth SHOULD be measured with stateless streams before TCP is", found: "there was no such stream",
		kept: known && len(udp) > 0}
	if fastest := fastestOf(udp) / float64(tests.traffic().Ports()); before.kept {
		before.kept = fastest >= filled*bandwidth
		before.found = fmt.Sprintf("it is %s Mbit/s, and of a stream %s Mbit/s of payload arrived", number(bandwidth/1e6), number(fastest/1e6))
	}
	sound := demand{id: "sound-path", source: "RFC 6349 section 3", level: weir.Must, text: "a path with a loss of 5 % or a jitter of 150 ms is not tested", found: "these are not known", kept: lossy && jittery && loss <= MostLoss && jitter <= MostJitter.Seconds()}
	if lossy && jittery {
		sound.found = fmt.Sprintf("it lost %s %%, with a jitter of %s ms", percent(loss), number(1e3*jitter))
	}
	capable := demand{id: "capable-hosts", source: "RFC 6349 section 3", level: weir.Must, text: "the hosts MUST be able to fill the bottleneck bandwidth", found: "TCP was faster than what was taken for it: that was the limit of the hosts, or of the plan",
		kept: known && !Beyond(e.Value, ideal*float64(tests.traffic().Ports()))}
	if capable.kept {
		capable.found = "nothing was faster than it"
	}
	return checklist{before, sound, capable}
}

// filled is the share of a bandwidth that the payload of a stream has at least
// that shows it to be there: such streams are sent at 90 % of it, and headers
// and what may be lost are part of that.
const filled = 0.75

// fastestOf is the highest goodput of some trials, in bit/s.
func fastestOf(trials []weir.TrialResult) (most float64) {
	for _, t := range trials {
		most = max(most, t.Transferred.Goodput())
	}
	return most
}

// beyondIdeal is by how much TCP may be faster than it can be, for a clock that
// runs at another rate and octets that were on their way when the time began.
const beyondIdeal = 0.01

// Beyond reports whether TCP was faster than the bottleneck bandwidth allows it
// to be, both in bit/s.
func Beyond(goodput, ideal float64) bool { return goodput > ideal*(1+beyondIdeal) }

// metrics6349 are the demands for the tests of TCP, and their metrics.
func metrics6349(e, tests Evidence) checklist {
	d := time.Duration(0)
	for i, t := range tests.Trials {
		if counts := t.Transferred.Took; i == 0 || counts < d {
			d = counts
		}
	}
	long := demand{id: "test-length", source: "RFC 6349 section 5", level: weir.Should, text: "a test SHOULD be longer than 30 s",
		found: fmt.Sprintf("%v of it counted", d.Round(time.Second/10)), kept: d > FullTCP}
	if shortest(tests.Trials) < leastTransfer {
		long.label = shortTrials // for a goodput, too
	}
	all := demand{id: "all-metrics", source: "RFC 6349 section 4", level: weir.Must, text: "transfer time ratio, efficiency and buffer delay MUST all be measured", found: "all are figures beside the value", kept: true}
	for _, name := range []string{TransferRatio, Efficiency, BufferDelay} {
		if _, known := e.Figure(name); !known && all.kept {
			all.kept, all.found = false, name+" is not known"
		}
	}
	one := demand{id: "each-connection", source: "RFC 6349 section 5.1", level: weir.Must, text: "the efficiency MUST be computed for each connection", found: "there was one",
		kept: tests.Trials[0].Trial.Transfer.Streams <= 1 && !tests.traffic().Bidirectional}
	if !one.kept {
		one.found = "it is that of several connections together"
	}
	return checklist{long, all, one}
}

// directions6349 is what one result cannot know: a campaign measures each
// direction as a level of the factor direction.
func directions6349(tests Evidence) checklist {
	t := tests.traffic()
	each := demand{id: "each-direction", source: "RFC 6349 section 3.3", level: weir.Must, text: "the metrics MUST be measured in each direction, independently first and then in both at once", optional: true}
	switch {
	case t.Bidirectional:
		each.optional, each.found = false, "these are of both at once, together"
	case t.Backward:
		each.found = "this is the reverse one"
	default:
		each.found = "this is the forward one"
	}
	return checklist{each,
		{id: "connections", source: "RFC 6349 section 3.3", level: weir.Should, text: "single and multiple connections SHOULD be tested", found: "this is a test with " + plural(max(1, tests.Trials[0].Trial.Transfer.Streams), "connection"), optional: true},
		{id: "times-of-day", source: "RFC 6349 section 5", level: weir.Should, text: "tests SHOULD be made at different times of the day", found: "this one was not repeated at another", optional: true},
	}
}

// windows6349 are the demands for buffers and windows, which weir leaves to the
// kernels of the end hosts.
func windows6349(tests Evidence) checklist {
	product, known := tests.Figure(DelayProduct)
	rtt, timed := tests.Figure(AverageRTT)
	room := demand{id: "windows-hold", source: "RFC 6349 section 3.3.1", level: weir.Must, text: "buffers and windows MUST hold the bandwidth-delay product", found: "the kernel sets them, and nobody knows what was under way", optional: true}
	if known && timed {
		flight := tests.Value / float64(tests.traffic().Ports()) * rtt / 8
		room.kept = flight >= product*(1-nearProduct)
		room.found = fmt.Sprintf("the kernel sets them; %.0f octets were under way, of %.0f", flight, product)
	}
	return checklist{room,
		{id: "each-window", source: "RFC 6349 section 5.2", level: weir.Should, text: "the report SHOULD have the throughput for each window size tested", found: "there is one, which the kernel sets as it goes", optional: true},
	}
}

// nearProduct is how much less than the bandwidth-delay product may be under
// way when a path is full: headers take their share of the bandwidth.
const nearProduct = 0.1
