package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/plan"
)

// The limits of the validity gate.
const (
	ceilingShare    = 0.90             // of the tester's own ceiling
	allCame         = 0.001            // of the frames at maximum load, that were lost all the same
	limitedShort    = 0.03             // of the intended frames that were not sent
	stealShare      = 0.01             // of the time of all CPUs
	busyShare       = 0.10             // of the time of all CPUs
	unexplainedLoss = 0.001            // of the offered frames
	longStall       = time.Millisecond // of the generator
	pausedShare     = .01              // of a trial, in which the generator did not run
	lateEvent       = 10 * time.Millisecond
	streamDrops     = 0.01 // of the segments of TCP
	usualSegment    = 1448 // octets of a segment of TCP, at an MTU of 1500
)

// gate knows what a trial is checked against.
type gate struct {
	cpus    weir.CPUs
	machine int                // number of CPUs of the machine
	link    float64            // media rate in bit/s; 0 when the links have none
	ceiling map[string]float64 // frames/s over all ports by key; filled by the self-test
	tester  string             // which one is at work, where the levels of a plan have several
	reach   map[string]float64 // the highest load in frames/s per port that was sent in full while the DUT worked, likewise
}

// key is that of a traffic of the tester at work, however many DUTs side by side
// have it.
func (g *gate) key(t weir.Traffic) string {
	t.Arms = 0
	return g.tester + plan.TrafficKey(t)
}

// gated adds to each trial the warnings of the checks.
func (g *gate) gated(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	r, err := measure(ctx, t)
	if err != nil {
		return r, err
	}
	g.sent(r)
	for _, c := range checks {
		if sentence := c.check(g, r); sentence.Text != "" {
			r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: c.code, Sentence: sentence})
		}
	}
	return r, nil
}

// sent notes the load of a trial that was sent in full while the DUT worked.
func (g *gate) sent(r weir.TrialResult) {
	if t := r.Trial; !t.Maximum && !t.Bypass && !r.Short() {
		g.reach[g.key(t.Traffic)] = max(g.reach[g.key(t.Traffic)], t.Intended)
	}
}

// checks are the validity gate. A check returns the sentence of the warning, with the
// figure and what to do; none has no text.
var checks = []struct {
	code  weir.WarningCode
	check func(*gate, weir.TrialResult) weir.Sentence
}{
	{weir.NothingForwarded, func(_ *gate, r weir.TrialResult) weir.Sentence {
		if r.Offered == 0 || r.Received > 0 {
			return weir.Sentence{}
		}
		return weir.Say("none of %d frames came back; see the drops in the ledger, and whether the DUT forwards at a lower load", r.Offered)
	}},
	{weir.NegativeLoss, func(_ *gate, r weir.TrialResult) weir.Sentence {
		if r.Received <= r.Offered {
			return weir.Sentence{}
		}
		return weir.Say("%d frames came back and %d were sent; look for a loop or another sender of test frames", r.Received, r.Offered)
	}},
	{weir.OfferedShort, func(g *gate, r weir.TrialResult) weir.Sentence {
		if !r.Short() {
			return weir.Sentence{}
		}
		if why := g.disturbance(r); why.Text != "" {
			return weir.Say("other work kept the tester from sending: %d of the intended %d frames were sent, and %s; stop it and run again", r.Offered, r.Trial.Frames(), why)
		}
		return weir.Say("%d of the intended %d frames were sent; give the generator more CPUs or lower the maximum load", r.Offered, r.Trial.Frames())
	}},
	{weir.TesterLimited, testerLimited},
	{weir.ReceiverSaturated, func(_ *gate, r weir.TrialResult) weir.Sentence {
		for _, d := range r.Ledger.Drops {
			if float64(d.Count) > repaired(r) && d.OfTester() {
				return weir.Say("%d frames were dropped at %s after the DUT had forwarded them; give the receiver a CPU of its own", d.Count, d.Place)
			}
		}
		return weir.Sentence{}
	}},
	{weir.StealTime, func(g *gate, r weir.TrialResult) weir.Sentence {
		return g.share(r, r.Host.Steal, stealShare, stolen+"; repeat when its host is quiet")
	}},
	{weir.BusyMachine, func(g *gate, r weir.TrialResult) weir.Sentence {
		return g.share(r, r.Host.Other, busyShare, used+"; stop them or use an idle machine")
	}},
	{weir.SharedCPU, sharedCPU},
	{weir.AnotherWeir, anotherWeir},
	{weir.TCPMemory, func(_ *gate, r weir.TrialResult) weir.Sentence {
		if r.Host.TCPMemory < 1 {
			return weir.Sentence{}
		}
		return weir.Say("the sockets of this machine had %.0f %% of the memory from which on the kernel makes windows small (net.ipv4.tcp_mem); end what has so much in sockets (ss -tm), or raise that", 100*r.Host.TCPMemory)
	}},
	{weir.GeneratorPaused, func(g *gate, r weir.TrialResult) weir.Sentence {
		share := r.Pacing.Paused.Seconds() / max(r.Sending, r.Trial.Length()).Seconds()
		if !(share > pausedShare) || len(r.Trial.Windows) > 0 || sharedCPU(g, r).Text != "" { // whose work would be a pause
			return weir.Sentence{}
		}
		return weir.Say("the generator did not run for %.1f %% of the time, %v in all: it was stopped, or its CPU did other work; the rate is not one that it sent at",
			100*share, r.Pacing.Paused.Round(time.Microsecond))
	}},
	{weir.GeneratorStalled, func(g *gate, r weir.TrialResult) weir.Sentence {
		if r.Pacing.LongestStall <= longStall || r.Trial.Maximum || r.Short() && testerLimited(g, r).Text != "" {
			return weir.Sentence{}
		}
		return weir.Say("the generator was kept from sending for %v, and %d frames left late; keep other work off its CPU", r.Pacing.LongestStall.Round(time.Microsecond), r.Pacing.Stalls)
	}},
	{weir.UnexplainedLoss, func(_ *gate, r weir.TrialResult) weir.Sentence {
		switch u := r.Ledger.Unexplained; {
		case u < 0 && r.Received <= r.Offered:
			return weir.Say("the counters claim %d more drops than frames are missing; other traffic crosses the DUT or a frame was counted twice", -u)
		case float64(u) > unexplainedLoss*float64(r.Offered):
			return weir.Say("%d of %d frames vanished at no counter that is known; look at the counters of the DUT", u, r.Offered)
		}
		return weir.Sentence{}
	}},
	{weir.FramesCorrupt, sum("%d frames came back damaged; look at the links and the offloads of the DUT", func(s weir.StreamResult) uint64 { return s.Corrupt })},
	{weir.FramesDuplicated, sum("%d frames came back more than once; look for a loop or a flooding switch", func(s weir.StreamResult) uint64 { return s.Duplicate })},
	{weir.FramesReordered, func(g *gate, r weir.TrialResult) weir.Sentence {
		capture := r.Trial.Traffic.Replay
		if r.Trial.Traffic.Flows > 1 || capture != nil && capture.Flows != 1 {
			return weir.Sentence{} // flows may overtake each other: routers keep the order within a flow
		}
		return late(g, r)
	}},
	{weir.EventLate, eventLate},
	{weir.QueriesUnanswered, unanswered},
	{weir.FramesLeftOut, func(_ *gate, r weir.TrialResult) weir.Sentence {
		capture := r.Trial.Traffic.Replay
		if capture == nil || capture.Left == 0 {
			return weir.Sentence{}
		}
		why := capture.WhyLeft()
		if why != "" {
			why = ": " + why
		}
		return weir.Say("%d of %d frames of the capture %s cannot be sent and were left out%s", capture.Left, capture.Left+capture.Frames, capture.File, why)
	}},
}

// sharedCPU warns of a trial in which a CPU did the work of the tester and of the DUT.
func sharedCPU(g *gate, r weir.TrialResult) weir.Sentence {
	for _, cpu := range g.cpus.DUT {
		if !r.Trial.Bypass && !g.cpus.Elsewhere && (slices.Contains(g.cpus.Generator, cpu) || slices.Contains(g.cpus.Receiver, cpu)) {
			return weir.Say("%s works for the tester and for the DUT, so the result is that of both; set testbed.cpus in the plan or use a machine with more CPUs", cpuNames([]int{cpu}))
		}
	}
	if all := cmp.Or(r.Host.Over, r.Trial.Length()).Seconds() * float64(len(g.cpus.Generator)); !r.Trial.Bypass && r.Trial.Transfer == nil && all >= leastSoftirq && r.Host.Softirq.Seconds() > softirqShare*all {
		mend := "for each port of such a box, where it is: echo 1 >/sys/class/net/PORT/threaded, and bind its threads napi/PORT-* to other CPUs (taskset -pc CPU PID); move interrupts by /proc/irq/N/smp_affinity_list"
		if g.machine <= len(g.cpus.Generator)+len(g.cpus.Receiver) {
			mend = "sender and receiver take all CPUs of this machine, and a box on them shares one: what it forwards is not its own rate; take a machine with a CPU more"
		}
		return weir.Say("softirqs and interrupts take the sender's %s: a box on this machine forwards there, or a port has its interrupts there", cpuNames(g.cpus.Generator)).
			Then("; %s", mend)
	}
	return weir.Sentence{}
}

// anotherWeir warns of a trial during which another process measured on some of its CPUs.
func anotherWeir(_ *gate, r weir.TrialResult) weir.Sentence {
	var who []string
	for _, o := range r.Host.OtherWeirs {
		of := ""
		if o.Campaign != "" {
			of = ", campaign " + o.Campaign
		}
		who = append(who, fmt.Sprintf("process %d on %s%s", o.PID, cpuNames(o.CPUs), of))
	}
	if len(who) == 0 {
		return weir.Sentence{}
	}
	return weir.Say("another weir measured on some of the same CPUs meanwhile (%s), so that the results of both are those of a shared machine; run one after the other, or give each CPUs of its own", strings.Join(who, "; "))
}

var late = sum("%d frames came back after a later one of their flow; the DUT spreads a flow over several queues or CPUs", func(s weir.StreamResult) uint64 { return s.Late })

// repaired is how many frames the receiving end may drop without a warning: none of
// those that are counted, and of a stream of TCP, which sends them again, so few
// that its rate is hardly another.
func repaired(r weir.TrialResult) float64 {
	if r.Transferred == nil || r.Offered > 0 {
		return 0
	}
	return streamDrops * float64(r.Transferred.Octets) / float64(cmp.Or(r.Transferred.Segment, usualSegment))
}

// eventLate warns of a trial of which the event did not come when it was due. One
// that did not come at all is for its method to judge.
func eventLate(_ *gate, r weir.TrialResult) weir.Sentence {
	e, h := r.Trial.Event, r.Happened
	if e == nil || h == nil || h.Error != "" || h.Began-e.After <= lateEvent {
		return weir.Sentence{}
	}
	return weir.Say("%s began %v after the start and was due after %v; keep other work off the DUT's CPUs", e.Name, h.Began.Round(time.Microsecond), e.After)
}

// unanswered warns of a trial under management queries that the DUT did not
// answer, or of which nothing is known. A model has no management.
func unanswered(_ *gate, r weir.TrialResult) weir.Sentence {
	q := r.Queries
	switch {
	case !r.Trial.Condition.Management() || r.Trial.Bypass || r.Simulated:
		return weir.Sentence{}
	case q == nil:
		return weir.Say("nobody knows whether the DUT was sent management queries, or answered them")
	case q.Sent == 0:
		return weir.Say("the DUT was sent no management queries: %s", cmp.Or(q.Fault, "the trial was too short for one"))
	case q.Answered < q.Sent:
		return weir.Say("the DUT answered %d of %d management queries in time: %s", q.Answered, q.Sent, cmp.Or(q.Fault, "nobody knows why"))
	}
	return weir.Sentence{}
}

// softirqShare is the share of the time of the sender's CPUs, waits included, from which on
// softirqs and interrupts are not what its own port needs.
const softirqShare = .2

// leastSoftirq is the time in seconds from which on the kernel's counts of a hundredth give
// that share.
const leastSoftirq = .2

// cpuNames is "CPU 0", or "CPUs [0 1]".
func cpuNames(cpus []int) string {
	if len(cpus) == 1 {
		return fmt.Sprintf("CPU %d", cpus[0])
	}
	return fmt.Sprintf("CPUs %v", cpus)
}

// What other work took, of the time of all CPUs.
const (
	stolen = "the hypervisor gave %.1f %% of the CPU time to others"
	used   = "other processes used %.1f %% of the CPU time"
)

// disturbance is what other work did to a trial; "" for nothing much. A
// generator that is late says so only at a load that it has sent through this DUT
// before: beyond its limit it is late all the time, by itself.
func (g *gate) disturbance(r weir.TrialResult) weir.Sentence {
	switch {
	case g.share(r, r.Host.Steal, stealShare, stolen).Text != "":
		return g.share(r, r.Host.Steal, stealShare, stolen)
	case g.share(r, r.Host.Other, busyShare, used).Text != "":
		return g.share(r, r.Host.Other, busyShare, used)
	case r.Pacing.LongestStall > longStall && !r.Trial.Maximum && r.Trial.Intended <= g.reach[g.key(r.Trial.Traffic)]:
		return weir.Say("the generator was held up for %v at a load that it has sent before", r.Pacing.LongestStall.Round(time.Microsecond))
	}
	return weir.Sentence{}
}

// testerLimited warns of a trial near what the tester can do alone, and one that
// fell so far short of its load that no passing disturbance explains it. A
// trial at maximum load intends no load; there only what came back counts: where
// that is all of it, the DUT was offered no more than it can do, however much
// that is of what the tester sends alone.
func testerLimited(g *gate, r weir.TrialResult) weir.Sentence {
	if intended := r.Trial.Frames(); r.Short() && float64(r.Offered) < (1-limitedShort)*float64(intended) {
		if g.disturbance(r).Text != "" {
			return weir.Sentence{}
		}
		return weir.Say("%.1f %% of the intended load could not be offered: it is beyond this tester, whatever the DUT can do; give it more CPUs",
			100*(1-float64(r.Offered)/float64(intended)))
	}
	ceiling := g.ceiling[g.key(r.Trial.Traffic)]
	if ceiling == 0 || r.Trial.Bypass || r.Simulated {
		return weir.Sentence{}
	}
	ports := float64(r.Trial.Traffic.Ports())
	rate := max(r.Trial.Intended*ports, r.ForwardingRate())
	medium := frame.LineRate(g.link, r.Trial.Traffic.MeanSize()) * ports
	switch {
	case rate > ceilingShare*ceiling:
	case r.Trial.Maximum && r.Trial.Count == 0 && r.Received > 0 && r.DUTLoss() <= allCame && !(g.link > 0 && rate > ceilingShare*medium):
		return weir.Say("%.0f frames/s was all that the tester could send beside the DUT, and it came back, at %.0f %% of the %.0f that the tester reaches without the DUT: the limit is the tester's; give it more CPUs, a faster way to send or a faster machine",
			rate, 100*rate/ceiling, ceiling)
	default:
		return weir.Sentence{}
	}
	return weir.Say("%.0f frames/s is %.0f %% of the %.0f that the tester reaches without the DUT; the limit may be the tester's: give it more CPUs or a faster machine",
		rate, 100*rate/ceiling, ceiling)
}

// share warns of a CPU time above a share of the time of all CPUs.
func (g *gate) share(r weir.TrialResult, used time.Duration, limit float64, format string) weir.Sentence {
	all := cmp.Or(r.Host.Over, r.Trial.Duration).Seconds() * float64(max(g.machine, 1))
	if used <= 0 || used.Seconds() <= limit*all {
		return weir.Sentence{}
	}
	return weir.Say(format, 100*used.Seconds()/all)
}

// sum warns of a trial of which a figure of any stream is not 0.
func sum(format string, figure func(weir.StreamResult) uint64) func(*gate, weir.TrialResult) weir.Sentence {
	return func(_ *gate, r weir.TrialResult) weir.Sentence {
		var n uint64
		for _, s := range r.Streams {
			n += figure(s)
		}
		if n == 0 {
			return weir.Sentence{}
		}
		return weir.Say(format, n)
	}
}
